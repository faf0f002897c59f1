"""A stack's configuration as the args of one component. Pure, so that a plan and a program read it alike."""

from collections.abc import Mapping
from typing import Any

NAMESPACE = "rdma-cluster"
CLOUD = f"{NAMESPACE}:cloud"


def stack_args(config: Mapping[str, Any], stack_keys: Mapping[str, str]) -> dict[str, Any]:
    """The args that ``config`` spells, keys in camelCase as they stand in the file.

    ``config`` maps full keys to values; ``stack_keys`` names the keys of other namespaces that become args.
    Keys of our own namespace that no component knows are kept, so that its door can refuse them.
    """
    own = {key.removeprefix(f"{NAMESPACE}:"): value for key, value in config.items() if key.startswith(f"{NAMESPACE}:")}
    own.pop("cloud", None)
    return own | {arg: config[key] for key, arg in stack_keys.items() if key in config}
