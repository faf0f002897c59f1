"""What every component shares: args are checked before the first resource, and errors reach the engine as its own."""

from collections.abc import Callable, Mapping, Sequence
from inspect import get_annotations
from typing import Any, TypeVar, get_args, get_origin

import pulumi
from pulumi.runtime.mocks import MockMonitor
from typing_extensions import is_typeddict

from .args import CamelCased, hints, is_hidden, parse_and_plan, plain, spelt, to_camel
from .errors import RULES_FOLLOW, InputError, Refused, spell

T = TypeVar("T")
P = TypeVar("P")
U = TypeVar("U")

Opts = pulumi.ResourceOptions | None
"""The options of a resource, which every component takes as its third argument."""


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
    """The same options for what comes after some resources, and goes before them."""
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(resources)))


def replaceable(opts: pulumi.ResourceOptions) -> pulumi.ResourceOptions:
    """The same options for what holds neither data nor capacity, and is made anew or goes when a key changes.

    It is not protected where its component is: that would keep users from every such change.
    """
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=False))


def mocked() -> bool:
    """Whether a unit test runs the program by ``pulumi.runtime.set_mocks``: nothing that is asked ever comes true."""
    return isinstance(pulumi.runtime.settings.get_monitor(), MockMonitor)


def computed(output: pulumi.Output[T], read: Callable[[T], U], instead: U) -> pulumi.Output[U]:
    """``read`` of what a cloud always fills in, or ``instead`` where a unit test's mocks leave it out.

    The mocks that Pulumi documents hand a resource its inputs back and answer every call by ``{}``
    (pulumi.com/docs/iac/guides/testing/unit).
    """
    return output.apply(lambda value: instead if value is None and mocked() else read(value))


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
