"""How a component stands on its cluster: it agrees with the others there, and its objects can always be replaced."""

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import pulumi
from pulumi_offline.errors import ErrorList, InputError
from pulumi_offline.frozen import frozen
from ..base.args import to_camel
from ..component.frame import PlannedComponent, inputs, refuse
from .plan.context import Part
from .plan.statements import Statement, check_agreement

C = TypeVar("C", bound=PlannedComponent[Any, Any])
HOSTED: ContextVar[bool] = ContextVar("hosted", default=False)
"""Whether the engine has each component made by itself, with a provider object of its own."""


class _Cluster:
    """A cluster of a hosted program."""


_hosted: dict[str, _Cluster] = {}
"""By the name of its provider. A plugin's process serves one deployment."""
_said: WeakKeyDictionary[object, dict[str, Sequence[Statement]]] = WeakKeyDictionary()
"""What the components on a cluster say of it: by what stands for the cluster, and by component."""


@frozen
class Links:
    """What a parent hands to a component inside a cluster beside its plan."""

    statements: Sequence[Statement]
    """What the component takes for granted of the cluster."""
    after: Sequence[pulumi.Resource] = ()
    """What its pods alone wait for: drivers, plugins, nodes."""


def make_part(
    component: type[C],
    schema: type,
    name: str,
    part: Part[Any, Any],
    opts: pulumi.ResourceOptions,
    after: Sequence[pulumi.Resource] = (),
) -> C:
    """The component of a part of a stack, which shows the user's options, an args schema."""
    return component.planned(name, part.plan, Links(part.statements, after), inputs(schema, part.options), opts)


def on_cluster(component: pulumi.ComponentResource, own: Sequence[Statement]) -> pulumi.ResourceOptions:
    """The options of a component's children in a cluster, of which it says its ``own`` statements.

    They are not protected where the component is: objects in a cluster hold neither data nor capacity, and tests,
    claims and policies are replaced when what they stand for changes. The component itself stays protected.

    Raises ``pulumi.InputPropertiesError`` where another component of the program that has the same Kubernetes provider
    says otherwise of the cluster.
    """
    others = _said.setdefault(_cluster_of(component), {})
    name = f"{type(component).__name__} {component.pulumi_resource_name!r}"
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
