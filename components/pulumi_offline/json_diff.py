"""What changes from one JSON value to another, leaf by leaf."""

from collections.abc import Iterator
from typing import Any

from .frozen import frozen


@frozen
class Change:
    """One property that is added, removed or changed."""

    path: str
    """`inputs.nodeConfig.guestAccelerators[0].count`, `options.protect`, `provider`."""
    kind: str
    """`add`, `remove` or `change`."""
    before: Any = None
    after: Any = None


def compare(path: str, before: Any, after: Any) -> Iterator[Change]:
    """What changes from one value to another, leaf by leaf; ``path`` is where they stand."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            yield from _entry(_join(path, key), key, before, after)
    elif isinstance(before, list) and isinstance(after, list):
        old, new = dict(enumerate(before)), dict(enumerate(after))
        for index in range(max(len(before), len(after))):
            yield from _entry(f"{path}[{index}]", index, old, new)
    elif before != after or type(before) is not type(after):
        yield Change(path, "change", before, after)


def _entry(path: str, key: str | int, before: dict[Any, Any], after: dict[Any, Any]) -> Iterator[Change]:
    if key not in before:
        yield Change(path, "add", after=after[key])
    elif key not in after:
        yield Change(path, "remove", before=before[key])
    else:
        yield from compare(path, before[key], after[key])


def _join(path: str, key: str) -> str:
    if not key.replace("_", "").replace("-", "").isalnum():  # labels and annotations have dots and slashes
        return f'{path}["{key}"]'
    return f"{path}.{key}" if path else key
