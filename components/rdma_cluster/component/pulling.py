"""A login to private registries for every pod of a component: one Secret a namespace, and all that names it."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
from ..catalog.pull_secrets import FILLED_LATER, NAME, POLICY_NAMESPACE, POLICY_PARTS, chart_values
from .frame import Opts, waiting_for


def pulling(name: str, opts: Opts, docker_config: pulumi.Input[str] | None) -> Opts:
    """``opts`` under which all pods of a component and of what is below it pull images with ``docker_config``.

    The Secrets stand directly below the component, whichever part pulls first: their names in state stay.
    """
    if docker_config is None:
        return opts
    config = pulumi.Output.secret(docker_config)
    component: list[pulumi.Resource] = []
    secrets: dict[str, pulumi.Resource] = {}
    spaces: dict[str, pulumi.Resource] = {}

    def need(namespace: str, of_pods: pulumi.ResourceOptions) -> pulumi.Resource:
        if namespace not in secrets:
            waits = [spaces[namespace]] if namespace in spaces else []
            secrets[namespace] = _secret(f"{name}-pull-{namespace}", namespace, config, component[0], of_pods, waits)
        return secrets[namespace]

    def add(given: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        if not component:  # it comes before all that is below it
            component.append(given.resource)
        if given.type_.partition(":")[0] != "kubernetes":
            return None
        if isinstance(given.resource, k8s.core.v1.Namespace):
            metadata: Any = given.props["metadata"]
            spaces[metadata["name"]] = given.resource  # it comes before its pods
            if metadata["name"] in FILLED_LATER:
                need(metadata["name"], given.opts)
            return None
        namespace, props = _naming(given.resource, given.props)
        if not namespace:
            return None
        return pulumi.ResourceTransformationResult(props, waiting_for(given.opts, [need(namespace, given.opts)]))

    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(transformations=[add]))


def _secret(
    name: str,
    namespace: str,
    config: pulumi.Output[str],
    component: pulumi.Resource,
    of_pods: pulumi.ResourceOptions,
    waits: list[pulumi.Resource],
) -> pulumi.Resource:
    """A namespace's Secret, on the cluster of its first pods. It waits for its namespace, not for all they wait for."""
    inherited = of_pods.parent.get_provider("kubernetes:core/v1:Secret") if of_pods.parent else None
    return k8s.core.v1.Secret(
        name,
        metadata={"name": NAME, "namespace": namespace},
        type="kubernetes.io/dockerconfigjson",
        string_data={".dockerconfigjson": config},
        opts=pulumi.ResourceOptions(
            parent=component,
            protect=False,  # where the component is: it goes with the key
            provider=of_pods.provider or inherited,
            depends_on=waits,
            deleted_with=of_pods.deleted_with,
        ),
    )


def _naming(resource: pulumi.Resource, props: Any) -> tuple[str, Mapping[str, Any]]:
    """The namespace of a resource's pods, and its inputs with the Secret in them; no namespace where it has no pods."""
    if isinstance(resource, k8s.helm.v3.Release):
        values = chart_values(props["name"], NAME)
        named = {**props, "values": _merged(props.get("values") or {}, values)}
        return (props["namespace"], named) if values else ("", props)
    custom = isinstance(resource, k8s.apiextensions.CustomResource)
    if custom and props["kind"] == "NicClusterPolicy":
        parts = {key: {"imagePullSecrets": [NAME]} for key in POLICY_PARTS if key in props["spec"]}
        return POLICY_NAMESPACE, {**props, "spec": _merged(props["spec"], parts)}
    named = _in_pods(props, "imagePullSecrets" if custom else "image_pull_secrets")
    return ("", props) if named == props else (named["metadata"]["namespace"], named)


def _in_pods(value: Any, key: str) -> Any:
    """``value`` with the Secret in each spec of a pod in it."""
    if isinstance(value, list):
        return [_in_pods(item, key) for item in value]
    if not isinstance(value, Mapping):
        return value
    if "containers" in value:
        return {**value, key: [{"name": NAME}]}
    return {name: _in_pods(of, key) for name, of in value.items()}


def _merged(values: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """``values`` and ``more``, of which neither has a text or a list where the other has one."""
    below = {key: _merged(values.get(key) or {}, of) if isinstance(of, Mapping) else of for key, of in more.items()}
    return {**values, **below}
