"""A stack's configuration as the args of one component. Pure, so that a plan and a program read it alike."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from pulumi_offline.errors import InputError, Refused, show
from pulumi_offline.unknowns import SECRET
from pulumi_offline.written import from_json

P = TypeVar("P")

NAMESPACE = "rdma-cluster"
CLOUD = f"{NAMESPACE}:cloud"
TEXTS = ("pullSecret",)
"""Args that are a text although it is JSON."""
_SWITCHES = {"true": True, "false": False}


class StackKeys(dict[str, str]):
    """Keys of other namespaces that become args, and what args say of further keys, by full key.

    The configuration may have those, too, and nothing else in them. ``implied`` gets args of the right form.
    """

    def __init__(self, keys: Mapping[str, str], implied: Callable[[Mapping[str, Any]], Mapping[str, str]]) -> None:
        super().__init__(keys)
        self.implied = implied


def stack_args(config: Mapping[str, str], stack_keys: Mapping[str, str]) -> dict[str, Any]:
    """The args that ``config`` spells, keys in camelCase as they stand in the file.

    ``config`` maps full keys to texts, as the engine hands them over; ``stack_keys`` names the keys of other
    namespaces that become args. Keys of our own namespace that no component knows are kept: reading the args refuses
    them.
    """
    named = {key: stack_keys.get(key) or key.partition(f"{NAMESPACE}:")[2] for key in config}
    return {
        arg: config[key] if arg in TEXTS else value(config[key]) for key, arg in named.items() if arg and key != CLOUD
    }


def plan_config(config: Mapping[str, str], stack_keys: Mapping[str, str], plan: Callable[[dict[str, Any]], P]) -> P:
    """What ``plan`` makes of the args that ``config`` spells.

    Raises ``Refused`` with every error, each under the key that the user wrote.
    """
    meant = _misspelt(config, stack_keys)
    errors = [InputError((key,), f"unknown key; did you mean {right}?") for key, right in meant.items()]
    # A misspelt key means the right one where that is not there, too.
    right = {meant[key]: text for key, text in config.items() if key in meant}
    args = stack_args({**right, **{k: text for k, text in config.items() if k not in meant}}, stack_keys)
    try:
        planned = plan(args)
    except Refused as refused:
        if refused.rules_follow or not errors:
            keys = {arg: key for key, arg in stack_keys.items()}
            for error in refused.errors:
                first, *rest = error.path or ("",)
                errors.append(InputError((keys.get(str(first), first), *rest) if error.path else (), error.reason))
        if not (meant or refused.rules_follow):
            errors += _contradictions(config, args, stack_keys)
        raise Refused(errors, rules_follow=bool(meant) or refused.rules_follow) from None
    if errors or (errors := _contradictions(config, args, stack_keys)):
        raise Refused(errors, rules_follow=bool(meant))
    return planned


def _contradictions(
    config: Mapping[str, str], args: Mapping[str, Any], stack_keys: Mapping[str, str]
) -> list[InputError]:
    """Keys of the configuration that say another thing than the args."""
    implied = stack_keys.implied(args) if isinstance(stack_keys, StackKeys) else {}
    said = "got {}, and the rest of the stack says {}; take it out, or make both the same"
    wrong = {key: right for key, right in implied.items() if config.get(key, right) not in (right, SECRET)}
    return [InputError((key,), said.format(show(config[key]), right)) for key, right in wrong.items()]


def _misspelt(config: Mapping[str, str], stack_keys: Mapping[str, str]) -> dict[str, str]:
    """Keys in a namespace where nobody reads them; and what they mean."""
    meant = {}
    elsewhere = {name: key for key, arg in stack_keys.items() for name in (arg, key.partition(":")[2])}
    for key in config:
        namespace, _, name = key.partition(":")
        if key in stack_keys:
            continue
        if namespace == NAMESPACE:
            if name in elsewhere:
                meant[key] = elsewhere[name]
            continue
        if get_close_matches(namespace.lower().replace("_", "-"), [NAMESPACE], cutoff=0.75):
            meant[key] = f"{NAMESPACE}:{name}"
        elif near := get_close_matches(key, stack_keys, n=1, cutoff=0.8):
            meant[key] = near[0]
    return meant


def value(text: str) -> Any:
    """A value as the stack file had it: objects and lists arrive as JSON, all else as text; no text of ours is true."""
    if text in _SWITCHES:
        return _SWITCHES[text]
    if text[:1] not in ("{", "["):
        return text
    try:
        return from_json(text)
    except (ValueError, RecursionError):  # a text that begins like JSON, e.g. `[secret]`
        return text
