"""How a component stands on its cluster: it agrees with the others there, and its objects can always be replaced."""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary

import pulumi

from ..args import to_camel
from ..component import refuse
from ..errors import ErrorList, InputError
from .plan.statements import Statement, check_agreement, statements

HOSTED: ContextVar[bool] = ContextVar("hosted", default=False)
"""Whether the engine has each component made by itself, with a provider object of its own."""


class _Cluster:
    """A cluster of a hosted program."""


_hosted: dict[str, _Cluster] = {}
"""By the name of its provider. A plugin's process serves one deployment."""
_said: WeakKeyDictionary[object, dict[str, list[Statement]]] = WeakKeyDictionary()
"""What the components on a cluster say of it: by what stands for the cluster, and by component."""


def on_cluster(component: pulumi.ComponentResource, args: Mapping[str, Any]) -> pulumi.ResourceOptions:
    """The options of a component's children in a cluster.

    They are not protected where the component is: objects in a cluster hold neither data nor capacity, and tests,
    claims and policies are replaced when what they stand for changes. The component itself stays protected.

    Raises ``pulumi.InputPropertiesError`` where another component of the program that has the same Kubernetes provider
    says otherwise of the cluster.
    """
    others = _said.setdefault(_cluster_of(component), {})
    own, name = statements(args), f"{type(component).__name__} {component.pulumi_resource_name!r}"
    # In a process that outlives a deployment, the same component comes again.
    others.pop(name, None)
    check_agreement(own, others, errors := ErrorList())
    if errors:
        raise refuse([_spelt(each) for each in errors.found()], camel=HOSTED.get())
    others[name] = own
    return pulumi.ResourceOptions(parent=component, protect=False)


def _spelt(error: InputError) -> InputError:
    """The error at its path as the program's language spells it."""
    path = tuple(to_camel(key) if isinstance(key, str) else key for key in error.path)
    return InputError(path, error.reason) if HOSTED.get() else error


def _cluster_of(component: pulumi.ComponentResource) -> object:
    provider = component.get_provider("kubernetes:core/v1:Pod")
    if HOSTED.get():
        return _hosted.setdefault("" if provider is None else provider.pulumi_resource_name, _Cluster())
    # The ambient kubeconfig is one for a whole run.
    return pulumi.runtime.settings.get_monitor() if provider is None else provider
