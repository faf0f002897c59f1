"""How a stack plans its add-ons: those that are on, and the keys of those that are off."""

from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

from pulumi_offline.errors import ErrorList
from ...base.versions import parse
from ..plan.context import Part
from . import AddOnArgs, Addons, is_enabled
from .add_on import AddOn, Stack

_FITS_ALL = "1.36"
"""A version of Kubernetes that every add-on takes."""


@cache
def add_ons() -> tuple[AddOn, ...]:
    """The records of all add-ons, in the order of their keys."""
    return tuple(import_module(f".{key}.add_on", __package__).ADD_ON for key in AddOnArgs.__annotations__)


def plan_addons(stack: Stack, errors: ErrorList, *, before_acceptance: bool) -> Addons:
    """The stack's add-ons, with those planned that come before the acceptance test's plan, or those that come after.

    An add-on that could not be planned is ``None``, and an error was added.
    """
    stack = _with_any_version(stack)
    for each in add_ons():
        options = stack.choice.addons.get(each.key)
        if each.before_acceptance is before_acceptance and is_enabled(options):
            made = _part(each, stack, options, errors)
            stack = replace(stack, addons=replace(stack.addons, **{each.key: made}))
    return stack.addons


def check_disabled(stack: Stack, errors: ErrorList) -> None:
    """Check the keys of add-ons that are off, as if they were on; what they would ask of the stack does not count."""
    stack = replace(_with_any_version(stack), makes_namespaces=False, addons=Addons())
    for each in add_ons():
        options = stack.choice.addons.get(each.key)
        if options is None or is_enabled(options) or len(options) == 1:
            continue
        found = ErrorList()
        enabled = {**options, "enabled": True}
        each.plan(replace(stack, choice=_with(stack, each.key, enabled)), enabled, found)
        for error in found.found():
            # That it is enabled is our word, not the user's.
            if error.path[0] == each.key and set(error.path[1:2]) & (options.keys() - {"enabled"}):
                errors.at(*error.path).add(error.reason)


def addon_warnings(stack: Stack) -> tuple[str, ...]:
    """Warnings of all add-ons of a stack."""
    parts = [(each, getattr(stack.addons, each.key)) for each in add_ons()]
    return tuple(warning for each, part in parts if part is not None for warning in each.warnings(stack, part))


def _part(add_on: AddOn, stack: Stack, options: Any, errors: ErrorList) -> Part[Any, Any] | None:
    plan = add_on.plan(stack, options, errors)
    return None if plan is None else Part(options, plan, stack.statements)


def _with_any_version(stack: Stack) -> Stack:
    """A stack refuses what is no version by its own key; nothing else follows from it here."""
    known = stack.context.version if parse(stack.context.version) else _FITS_ALL
    return replace(stack, context=replace(stack.context, version=known))


def _with(stack: Stack, key: str, options: Any) -> Any:
    return replace(stack.choice, addons={**stack.choice.addons, key: options})
