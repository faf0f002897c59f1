"""What every component shares: args are checked before the first resource, and errors reach the engine as its own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import get_annotations
from typing import Any, Generic, Self, TypeVar, get_args, get_origin

import pulumi
from pulumi.runtime.mocks import MockMonitor
from pulumi_offline.errors import RULES_FOLLOW, InputError, Refused, spell
from typing_extensions import is_typeddict
from ..base.args import CamelCased, hints, is_hidden, parse_and_plan, plain, spelt, to_camel

T = TypeVar("T")
P = TypeVar("P")
U = TypeVar("U")
L = TypeVar("L")

Opts = pulumi.ResourceOptions | None
"""The options of a resource, which every component takes as its third argument."""
Shown = Mapping[str, Any]
"""The inputs of a component as ``inputs`` spells them."""


class PlannedComponent(pulumi.ComponentResource, Generic[P, L]):
    """A component that its parent makes from a plan and links. Used alone, it parses its args and plans by itself.

    Links are outputs of siblings, such as a cluster's name and its networks. ``__init__`` calls ``_make``, too.
    """

    @classmethod
    def planned(cls, name: str, plan: P, links: L, shown: Shown, opts: Opts = None) -> Self:
        """The component that ``plan`` describes."""
        component = cls.__new__(cls)
        component._make(name, plan, links, shown, opts)
        return component

    def _plan_alone(
        self, name: str, schema: type[Any], make_plan: Callable[..., P | None], args: Any, opts: Opts, *named: str
    ) -> None:
        """Make the component that ``args`` ask for; they are its links, too. ``named`` goes to ``make_plan``."""
        args, plan = plan_args(schema, make_plan, args, None, *named)
        self._make(name, plan, args, inputs(schema, args), opts)

    def _make(self, name: str, plan: P, links: L, shown: Shown, opts: Opts) -> None:
        """Register the component with the engine, and make its resources."""
        raise NotImplementedError


def plan_args(
    schema: type[T],
    make_plan: Callable[..., P | None],
    args: Any,
    plan: P | None = None,
    *name: str,
    warn: pulumi.Resource | None = None,
) -> tuple[T, P]:
    """A component's args as its body may read them, and their plan: the parent's ``plan``, or one of its own.

    ``make_plan`` takes the args, the component's ``name`` where its plan goes by it, and the list that it adds errors
    to. Warnings of a plan of its own are logged for the resource ``warn``; the parent logs those of its plan.

    Raises ``pulumi.InputPropertiesError`` with every error and its property path.
    """
    if plan is not None:
        return args, plan
    camel = isinstance(args, CamelCased)
    try:
        args, plan = parse_and_plan(schema, lambda read, errors: make_plan(read, *name, errors), args, camel=camel)
    except Refused as refused:
        raise refuse(refused.errors, camel=camel, rules_follow=refused.rules_follow) from None
    if warn is not None:
        for warning in getattr(plan, "warnings", ()):
            pulumi.log.warn(warning, warn)
    return args, plan


def refuse(errors: list[InputError], *, camel: bool, rules_follow: bool = False) -> pulumi.InputPropertiesError:
    """The engine's own error of inputs that cannot work; ``camel`` where it is the engine that shows it."""
    details = [pulumi.InputPropertyErrorDetails(property_path=spell(each.path), reason=each.reason) for each in errors]
    # The engine lists the details below the message; in a Python program nobody does.
    rest = f"; {RULES_FOLLOW}" if rules_follow else ""
    message = f"these inputs cannot work{rest}" if camel else str(Refused(errors, rules_follow=rules_follow))
    return pulumi.InputPropertiesError(message, details)


def inputs(schema: type, args: Mapping[str, Any]) -> dict[str, Any]:
    """A component's args as the engine shows them: camelCase keys, whichever language wrote them.

    Outputs are left out. A component's children wait for its registration and that for its inputs: a service account
    would wait for a network it has nothing to do with. The children name the outputs they need themselves. So are
    secrets: what of the component's needs them keeps them encrypted.
    """
    return _known(spelt(schema, _shown(schema, args)))


def _shown(hint: Any, value: Any) -> Any:
    """``value`` of an args schema without its secrets."""
    hint = plain(hint)
    if is_typeddict(hint) and isinstance(value, Mapping):
        keys = hints(hint)
        return {key: _shown(keys.get(key), of) for key, of in value.items() if not is_hidden(keys.get(key))}
    if get_origin(hint) is list and isinstance(value, list):
        return [_shown(get_args(hint)[0], item) for item in value]
    return value


def output_types(component: type[pulumi.ComponentResource]) -> dict[str, Any]:
    """The annotated attributes of a component class and of ours that it stands on: they are its outputs."""
    ours = component.__mro__[: component.__mro__.index(pulumi.ComponentResource)]
    return {key: hint for cls in reversed(ours) for key, hint in get_annotations(cls).items() if key[0] != "_"}


def outputs(component: pulumi.ComponentResource) -> dict[str, Any]:
    """A component's outputs as it registers them: by camelCase name."""
    return {to_camel(key): getattr(component, key) for key in output_types(type(component))}


def waiting_for(opts: pulumi.ResourceOptions, resources: Sequence[pulumi.Resource]) -> pulumi.ResourceOptions:
    """Options with ``depends_on``: created after ``resources``, and deleted before them."""
    return with_more(opts, depends_on=list(resources))


def behind(value: pulumi.Input[T], resources: Iterable[pulumi.Resource]) -> pulumi.Output[T]:
    """``value`` for others to build on: it comes when ``resources`` are there, and what has it depends on them.

    A component stands for its ``ready``, where it has one. A preview knows the value: it knows every URN.
    """
    leaves = [leaf for each in resources for leaf in getattr(each, "ready", [each])]
    return pulumi.Output.all(value, *(leaf.urn for leaf in leaves)).apply(lambda known: known[0])


def with_more(opts: pulumi.ResourceOptions, **more: Any) -> pulumi.ResourceOptions:
    """Options with more of them, as keywords."""
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(**more))


def in_time(opts: pulumi.ResourceOptions, seconds: int) -> pulumi.ResourceOptions:
    """Options for a resource that may take some seconds to create or update."""
    return with_more(opts, custom_timeouts=pulumi.CustomTimeouts(create=f"{seconds}s", update=f"{seconds}s"))


def replaceable(opts: pulumi.ResourceOptions) -> pulumi.ResourceOptions:
    """Options for a resource that holds neither data nor capacity, and is replaced or deleted when a key changes.

    It is not protected where its component is: protection would keep users from every such change.
    """
    return with_more(opts, protect=False)


def mocked() -> bool:
    """Whether a unit test runs the program by ``pulumi.runtime.set_mocks``: nothing that is asked ever comes true."""
    return isinstance(pulumi.runtime.settings.get_monitor(), MockMonitor)


def computed(output: pulumi.Output[T], read: Callable[[T], U], instead: U) -> pulumi.Output[U]:
    """``read`` of what a cloud always fills in, or ``instead`` where a unit test's mocks leave it out.

    The mocks that Pulumi documents hand a resource its inputs back and answer every call by ``{}``
    (pulumi.com/docs/iac/guides/testing/unit).
    """
    return output.apply(lambda value: instead if value is None and mocked() else read(value))


def said_by(error: Exception) -> str:
    """What a provider says of a question that failed, on one line; without credentials it says a lot."""
    return (" ".join(str(error).split()) or type(error).__name__)[:400]


def each_of(items: pulumi.Input[list[T]], form: Callable[[T], Any]) -> pulumi.Input[list[Any]]:
    """``form`` of every item of a list that is known, or that another resource brings."""

    def formed(known: Any) -> list[Any]:
        return [form(item) for item in known]

    return formed(items) if isinstance(items, list) else pulumi.Output.from_input(items).apply(formed)


def _known(value: Any) -> Any:
    """``value`` without its outputs, and without what held nothing else."""
    if isinstance(value, dict):
        plain = {key: (of, _known(of)) for key, of in value.items() if not isinstance(of, pulumi.Output)}
        return {key: known for key, (of, known) in plain.items() if known or not of}
    if isinstance(value, list):
        plain = [(of, _known(of)) for of in value if not isinstance(of, pulumi.Output)]
        return [known for of, known in plain if known or not of]
    return value
