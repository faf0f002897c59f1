"""One value written into a stack's file, in its place: comments, order and all other text stay."""

import json
from collections.abc import Sequence

import yaml


def with_value(text: str, path: Sequence[str | int], value: str) -> str | None:
    """``text`` with ``value`` at ``path``; ``None`` where there is nothing to put it into.

    What stands in a file can be odd: whoever writes the new text reads it again first.
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    return None if root is None else _put(text, root, list(path), _scalar(value))


def _put(text: str, node: yaml.Node, path: list[str | int], value: str) -> str | None:
    if not path:
        return text[: node.start_mark.index] + value + text[node.end_mark.index :]
    step, *rest = path
    if isinstance(node, yaml.SequenceNode):
        inside = isinstance(step, int) and step < len(node.value)
        return _put(text, node.value[step], rest, value) if inside else None
    if not isinstance(node, yaml.MappingNode) or not node.value or isinstance(step, int):
        return None
    below = next((of for key, of in node.value if key.value == step), None)
    if below is not None:
        return _put(text, below, rest, value)
    return _added(text, node, f"{step}: {_flow(rest, value)}")


def _flow(path: list[str | int], value: str) -> str:
    """What stands behind a new key: the value, inside of the keys that lead to it."""
    return value if not path else f"{{{path[0]}: {_flow(path[1:], value)}}}"


def _added(text: str, node: yaml.MappingNode, entry: str) -> str:
    """A mapping with one more key: behind its first, which is often its name."""
    behind = node.value[1][0] if len(node.value) > 1 else node.value[0][0]
    at, column = behind.start_mark.index, behind.start_mark.column
    between = ", " if node.flow_style else f"\n{' ' * column}"
    return text[:at] + entry + between + text[at:]


def _scalar(value: str) -> str:
    """A text as YAML: quoted where it would be read as something else."""
    return value if yaml.safe_load(value) == value else json.dumps(value)
