"""The state of a living stack, as `pulumi stack export` writes it, beside the graph of a preview."""

import json
from base64 import b64decode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .aliases import as_known, old_urns
from .codec import SIGNATURE
from .errors import InputError, Refused
from .graph import Graph, Resource, type_and_name
from .immutable import fixed
from .json_file import read_json
from .replacements import ignored, is_below
from .unknowns import NUMBER, known

_STACK = "pulumi:pulumi:Stack"
_KEPT = ("deletedWith", "ignoreChanges", "protect", "replaceOnChanges", "retainOnDelete")
"""Options that a state holds, and a graph under the same names."""


def read_before(path: Path, after: Graph) -> Graph:
    """The graph or the state in a file, as it is comparable with ``after``. Raises ``Refused`` where it holds neither.

    A state holds what a preview cannot know: outputs that became inputs of others, names that an engine made up,
    defaults that a provider filled in. None of that is a change: it is shown as ``after`` has it.
    """
    try:
        data = read_json(path)
        if "deployment" not in data:
            return as_known(Graph.from_dict(data), after)
        return _of_state(data["deployment"].get("resources", []), after)
    except OSError as error:
        raise Refused([InputError((str(path),), error.strerror or "cannot be read")]) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        remedy = "make one with `rdma-cluster preview STACK --json` or `pulumi stack export`"
        raise Refused([InputError((str(path),), f"holds no graph and no state; {remedy}")]) from None


def _of_state(resources: list[dict[str, Any]], after: Graph) -> Graph:
    """The resources of a state, under the stack and project of ``after``, whose names a person may have changed."""
    new = {each.urn: each for each in after.resources}
    home = next(iter(new)).split("::")[:2] if new else []

    def at_home(urn: str) -> str:
        return "::".join((*home, *urn.split("::")[2:])) if home else urn

    known_as = old_urns({at_home(each["urn"]) for each in resources}, after)
    renamed = {old: now for now, old in known_as.items()}

    def moved(urn: str) -> str:
        return renamed.get(at_home(urn), at_home(urn))

    living = [state for state in resources if state["type"] != _STACK and not state.get("delete")]
    life = {state["urn"]: state.get("deletedWith") for state in living}
    own = (_without_what_the_engine_adds(state, life) for state in living)
    remaining = [_resource(state, moved, new.get(moved(state["urn"])), known_as) for state in own]
    return Graph.from_dict({"stack": after.stack, "resources": remaining, "outputs": after.outputs})


def _without_what_the_engine_adds(state: Mapping[str, Any], life: Mapping[str, Any]) -> dict[str, Any]:
    """A resource of a state without what it has of its parent, and without an engine's notes on a provider."""
    handed_down = state.get("deletedWith") == life.get(state.get("parent"))
    found = {key: value for key, value in state.items() if key != "deletedWith" or not handed_down}
    if state["type"].startswith("pulumi:providers:"):
        noted = ("__internal", "version")
        found["inputs"] = {key: value for key, value in state.get("inputs", {}).items() if key not in noted}
    return found


def _resource(
    state: Mapping[str, Any], moved: Any, now: Resource | None, known_as: Mapping[str, str]
) -> dict[str, Any]:
    urn, name = moved(state["urn"]), state["urn"].rpartition("::")[2]
    parent, provider = state.get("parent"), state.get("provider", "").rpartition("::")[0]
    # A graph has lists of options in order.
    own = {key: sorted(value) if isinstance(value, list) else value for key in _KEPT if (value := state.get(key))}
    if state.get("external"):  # it is read, and not made
        own["get"] = state.get("id", "")
    # Of what it waits for, a preview has the logical name where a cloud has made a physical one.
    waits = now.dependencies if now else ()
    brought = {type_and_name(each)[1]: type_and_name(known_as.get(each, each))[1] for each in waits}
    options = {**(now.options if now else {}), **own}
    if (trigger := state.get("replacementTrigger")) is not None:
        options["replacementTrigger"] = _plain(trigger, options.get("replacementTrigger"), name, brought)
    inputs = _with_numbers(_plain(state.get("inputs", {}), now.inputs if now else {}, name, brought), now)
    return {
        "urn": urn,
        "type": state["type"],
        "name": urn.rpartition("::")[2],
        "parent": moved(parent) if parent and f"::{_STACK}::" not in parent else None,
        "provider": _provider(moved(provider) if provider else None, now),
        "inputs": _left_alone(inputs, now.inputs, ignored(now)) if now else inputs,
        "options": options,
        "dependencies": list(now.dependencies) if now else [],
    }


def _provider(before: str | None, now: Resource | None) -> str | None:
    """The provider of a state, where the program names one; one that the engine makes itself is in no program."""
    is_default = before is None or type_and_name(before)[1].startswith("default")
    return now.provider if now is not None and (is_default or now.provider is None) else before


def _with_numbers(inputs: dict[str, Any], now: Resource | None) -> dict[str, Any]:
    """The inputs with numbers of other resources as a preview shows them, which cannot know them."""
    if now is None or (row := fixed(now.type)) is None:
        return inputs
    for path in row.nodes.follows:
        within, _, key = path.rpartition(".")
        old, new = inputs.get(within), now.inputs.get(within)
        if isinstance(old, dict) and isinstance(new, dict) and key in old and new.get(key) == str(NUMBER):
            inputs = {**inputs, within: {**old, key: new[key]}}
    return inputs


def _plain(old: Any, new: Any, name: str, brought: Mapping[str, str]) -> Any:
    """A value of a state as a graph would show it, where nothing but a person's choice makes a difference."""
    if isinstance(old, str) and (_is_brought(old, new, brought) if isinstance(new, str) else old == json.dumps(new)):
        return new  # the engine holds settings of providers as JSON
    if isinstance(old, list):
        beside = new if isinstance(new, list) else []
        return [_plain(item, beside[i] if i < len(beside) else None, name, brought) for i, item in enumerate(old)]
    if not isinstance(old, dict):
        return old
    if SIGNATURE in old:
        return "[secret]"
    beside = new if isinstance(new, dict) else {}
    filled_in = {"__defaults", *old.get("__defaults", ())}
    return {
        key: _plain(value, beside.get(key), name, brought)
        for key, value in old.items()
        if key in beside or not (key in filled_in or _is_made_up(value, name))
    }


def _left_alone(old: Any, new: Any, paths: Sequence[str], at: str = "") -> Any:
    """A value of a state whose ignored properties are as ``new`` has them: the engine changes none of these."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return old
    found = {}
    for key in {**old, **new}:
        path = f"{at}.{key}".lstrip(".")
        if is_below(path, paths):
            found |= {key: new[key]} if key in new else {}
        elif key in old:
            found[key] = _left_alone(old[key], new.get(key), paths, path)
    return found


def _is_brought(old: str, new: str, brought: Mapping[str, str]) -> bool:
    """Whether another resource brings a text: a preview says where it comes from, or gives its logical name."""
    brings = not known(_spelled(new)) or (new in brought and old.lower().startswith(brought[new].lower()))
    return new != "[secret]" and brings


def _spelled(text: str) -> str:
    """What a text says that may be base64, as certificates are."""
    try:
        return b64decode(text, validate=True).decode()
    except ValueError:
        return text


def _is_made_up(value: Any, name: str) -> bool:
    """Whether an engine made a name up from the logical one."""
    return isinstance(value, str) and value.lower().startswith(name.lower()) and value != name
