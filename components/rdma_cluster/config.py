"""A stack's configuration as the args of one component. Pure, so that a plan and a program read it alike."""

import json
from collections.abc import Mapping
from typing import Any

from .faults import Fault, Refused

NAMESPACE = "rdma-cluster"
CLOUD = f"{NAMESPACE}:cloud"


def stack_args(config: Mapping[str, str], stack_keys: Mapping[str, str]) -> dict[str, Any]:
    """The args that ``config`` spells, keys in camelCase as they stand in the file.

    ``config`` maps full keys to texts, as the engine hands them over; ``stack_keys`` names the keys of other
    namespaces that become args. Keys of our own namespace that no component knows are kept, for its door to refuse.
    """
    named = {key: stack_keys.get(key) or key.partition(f"{NAMESPACE}:")[2] for key in config}
    return {arg: value(config[key]) for key, arg in named.items() if arg and key != CLOUD}


def as_configured(refused: Refused, stack_keys: Mapping[str, str]) -> Refused:
    """The same faults, those of an arg that comes from another namespace under the key that the user wrote."""
    keys = {arg: key for key, arg in stack_keys.items()}
    return Refused(
        [Fault((keys.get(str(f.path[0]), f.path[0]), *f.path[1:]) if f.path else (), f.reason) for f in refused.faults]
    )


def value(text: str) -> Any:
    """A value as the stack file had it: objects and lists arrive as JSON, all else as text."""
    if text[:1] not in ("{", "["):
        return text
    try:
        return json.loads(text)
    except ValueError:  # a text that begins like JSON, e.g. `[secret]`
        return text
