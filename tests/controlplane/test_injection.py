"""A real API server injects what the command shows, and the scheduler finds the devices that are asked for."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, reject, settings
from rdma_cluster.catalog.machine import INSTANCE_TYPE
from rdma_cluster.claims import Target
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.fabrics import Claims
from rdma_cluster.injection import inject
from rdma_cluster.injection.device_requests import GPU
from tests.injected_pods import pods
from tests.machines import known_machine
from .api import Api, Object, Refused
from .applied import lacking
from .cluster import AT_ONCE, Cluster
from .injected import (
    BETA,
    FABRICS_HERE,
    POOL_LABEL,
    SECONDS,
    SOME,
    Policies,
    comparable,
    pod_for,
    policies,
    pool_of,
    served,
    stored,
)
from .scenarios import device_classes


@pytest.fixture(scope="module", params=FABRICS_HERE)
def of_fabric(request: pytest.FixtureRequest, api: Api) -> Iterator[tuple[str, Policies]]:
    """The policies of a cluster that has every machine of a fabric."""
    with policies(api, request.param, served(request.param)) as found:
        yield request.param, found


def every_pod(found: Policies) -> list[Object]:
    """A pod of each machine for each number of GPUs, on each of the rails that it may name."""
    pods = []
    for pattern in found.plan.patterns:
        machine = known_machine(pattern["labels"]["rdma-cluster/machine"])
        for device_request in pattern["shapes"]:
            gpus, _, window = device_request.partition("-")
            pod = pod_for(machine, int(gpus))
            if window:
                pod["metadata"]["annotations"]["rdma-cluster/rails"] = window
            pods.append(pod)
    return pods


def test_pods_are_stored_as_shown(of_fabric: tuple[str, Policies]):
    """For each machine of the fabric, each number of GPUs and each window of rails."""
    _, found = of_fabric
    pods = every_pod(found)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        both = list(pool.map(found.both, pods))

    assert pods
    for changed, shown in both:
        assert changed == shown


@pytest.fixture(scope="module", params=SOME)
def of_some(request: pytest.FixtureRequest, api: Api) -> Iterator[tuple[str, Policies]]:
    """The policies of a cluster with one or two machines."""
    with policies(api, request.param, SOME[request.param]) as found:
        yield request.param, found


def test_generated_pods(of_some: tuple[str, Policies]):
    """Pods of any kind are stored as the command shows them, or refused in its words; and nothing else is changed."""
    fabric, found = of_some
    templates = [each["resourceClaimTemplateName"] for p in found.plan.patterns for each in p["resourceClaims"]]

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(pods(SOME[fabric], POOL_LABEL, [*templates[:2], "of-the-user"]))
    def check(pod: Object) -> None:
        made = inject(pod, found.plan.patterns, found.plan.scope)
        try:
            alone = stored(found.elsewhere, pod)
        except Refused:
            reject()  # no pod at all
        if made.refusals:
            with pytest.raises(Refused) as refused:
                stored(found.cluster, pod)

            assert "; ".join(made.refusals) in refused.value.message
            return
        changed = stored(found.cluster, pod)

        shown = stored(found.elsewhere, made.pod)
        assert changed == shown, lacking(shown, changed) + lacking(changed, shown)
        assert lacking(alone["metadata"], changed["metadata"]) == []
        if made.pod == pod:
            assert changed == alone
        again = inject(made.pod, found.plan.patterns, found.plan.scope)
        assert again.pod == made.pod
        assert stored(found.cluster, made.pod) == changed

    check()


def test_owners_do_not_matter(of_some: tuple[str, Policies]):
    """Pods that controllers make of a Job and a StatefulSet, and pods whose owners are of kinds that others bring."""
    fabric, found = of_some
    machine = known_machine(SOME[fabric][0])
    pod = pod_for(machine, machine.gpus)
    changed, _ = found.both(pod)
    for kind in ("MPIJob", "PyTorchJob", "TrainJob", "RayCluster", "LeaderWorkerSet", "JobSet"):
        owner = {"apiVersion": "example.com/v1", "kind": kind, "name": "owner", "uid": "0", "controller": True}
        owned = {**pod, "metadata": {**pod["metadata"], "ownerReferences": [owner]}}

        assert stored(found.cluster, owned) == changed

    template = {"metadata": {"annotations": pod["metadata"]["annotations"], "labels": {"app": "x"}}}
    for api_version, kind, pod_spec, more in (
        ("batch/v1", "Job", {**pod["spec"], "restartPolicy": "Never"}, {}),
        ("apps/v1", "StatefulSet", pod["spec"], {"serviceName": "x", "selector": {"matchLabels": {"app": "x"}}}),
    ):
        spec = {**more, "template": {**template, "spec": pod_spec}}
        owner = found.cluster.apply(
            {"apiVersion": api_version, "kind": kind, "metadata": {"name": "owner"}, "spec": spec}
        )
        made = pod_of(found, owner.result)
        of_template: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": template["metadata"], "spec": pod_spec}
        shown = inject(of_template, found.plan.patterns, found.plan.scope)
        shown.pod["metadata"]["name"] = "pod"
        said = stored(found.elsewhere, shown.pod)

        assert lacking(said["spec"], made["spec"]) == []
        assert lacking(said["metadata"], made["metadata"]) == []
        found.cluster.api.delete(owner.result)
    clear(found)


def clear(found: Policies) -> None:
    """Takes away the pods; the next test's devices are for its own."""
    api, deadline = found.cluster.api, time.monotonic() + SECONDS
    while api.objects("v1", "Pod", found.cluster.namespace):
        assert time.monotonic() < deadline
        api.delete_all("v1", "Pod", found.cluster.namespace)
        time.sleep(0.1)


def pod_of(found: Policies, owner: Object) -> Object:
    """The first pod that a controller makes."""
    for pod in found.cluster.api.watch("v1", "Pod", found.cluster.namespace, SECONDS):
        if owner["metadata"]["uid"] in {each["uid"] for each in pod["metadata"].get("ownerReferences", ())}:
            return comparable(pod)
    raise TimeoutError(f"no pod of {owner['kind']}")


def test_pods_find_their_devices(of_some: tuple[str, Policies]):
    """A node for two pods of half its GPUs, or for one of all of them, takes so many and no more."""
    fabric, found = of_some
    machine = known_machine(SOME[fabric][0])
    pool, templates = pool_of(fabric, machine.name, found.cluster.namespace)
    nic_attachment = pool.fabric.nic_attachment
    device_requests = found.plan.patterns[0]["shapes"]
    halves = [name for name in device_requests if int(name.partition("-")[0]) * 2 == machine.gpus]
    named = [name for name in halves if "-" in name]
    wanted = named or halves * 2 or [str(machine.gpus)]
    with Cluster(found.cluster.api) as nodes:
        labels = {INSTANCE_TYPE: machine.name, POOL_LABEL: pool.name}
        taint = {"key": GPU, "value": "present", "effect": "NoSchedule"}
        limits = device_requests[str(machine.gpus)]["limits"]
        nodes.add_node("gpu-0", labels, [taint], limits)
        if isinstance(nic_attachment, Claims):
            target = Target(nic_attachment, pool.allocation)
            nodes.create_all([each.manifest() for each in resource_slices(machine, target, "gpu-0")])
            nodes.create_all(device_classes([target]))
            for template in templates:
                found.cluster.apply(template)
        made = []
        for number, device_request in enumerate([*wanted, wanted[0]]):
            gpus, _, window = device_request.partition("-")
            pod = pod_for(machine, int(gpus), f"fills-{number}")
            if window:
                pod["metadata"]["annotations"]["rdma-cluster/rails"] = window
            made.append(found.cluster.schedule(pod))

        assert [each.node for each in made] == ["gpu-0"] * len(wanted) + [None], made
        clear(found)


def test_other_policies_change_nothing(of_some: tuple[str, Policies]):
    """Whether another policy comes before or after, a pod is what both make of it, once."""
    fabric, found = of_some
    machine = known_machine(SOME[fabric][0])
    pod = pod_for(machine, machine.gpus)
    alone, _ = found.both(pod)
    results = []
    for name in ("a-before", "z-after"):
        with Cluster(found.cluster.api) as other:
            for each in another_policy(name, found.cluster.namespace):
                other.apply(each)
            results.append(await_label(found, pod, "team"))
    before, after = results

    assert before == after
    del before["metadata"]["labels"]["team"]
    env = before["spec"]["containers"][0]["env"]
    assert [each["name"] for each in env].count("TEAM") == 1
    before["spec"]["containers"][0]["env"] = [each for each in env if each["name"] != "TEAM"]
    if not before["spec"]["containers"][0]["env"]:
        del before["spec"]["containers"][0]["env"]
    assert before == alone


def another_policy(name: str, namespace: str) -> list[Object]:
    """A policy of somebody else, which labels pods and gives their containers a variable."""
    version = "v1beta1" if BETA else "v1"
    apply = (
        'Object{metadata: Object.metadata{labels: {"team": "a"}}, spec: Object.spec{containers: '
        "object.spec.containers.map(c, Object.spec.containers{name: c.name, "
        'env: [Object.spec.containers.env{name: "TEAM", value: "a"}]})}}'
    )
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    selector = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
    spec = {
        "matchConstraints": {"namespaceSelector": selector, "resourceRules": [rule]},
        "reinvocationPolicy": "IfNeeded",
        "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": apply}}],
    }
    group = f"admissionregistration.k8s.io/{version}"
    kind = "MutatingAdmissionPolicy"
    return [
        {"apiVersion": group, "kind": kind, "metadata": {"name": name}, "spec": spec},
        {"apiVersion": group, "kind": f"{kind}Binding", "metadata": {"name": name}, "spec": {"policyName": name}},
    ]


def await_label(found: Policies, pod: Object, label: str) -> Object:
    """The pod, once a further policy is in force."""
    deadline = time.monotonic() + SECONDS
    while label not in (made := stored(found.cluster, pod))["metadata"]["labels"]:
        assert time.monotonic() < deadline, made
        time.sleep(0.1)
    return made
