"""Trees as YAML: what fits a line stands on one, scripts are blocks."""

from typing import Any

import yaml

WIDTH = 120


class _Dumper(yaml.SafeDumper):
    """No anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def dump(value: Any) -> str:
    """A value as text."""
    dumper = _Dumper("", sort_keys=False)
    node = dumper.represent_data(value)
    _lay_out(node, 0, 0)
    return _serialized(node)


def _serialized(node: yaml.Node) -> str:
    return yaml.serialize(node, Dumper=_Dumper, width=10**6, allow_unicode=True)


def _lay_out(node: yaml.Node, indent: int, before: int) -> None:
    """Put a node on one line if it fits behind ``before`` columns, else what is inside of it below, at ``indent``."""
    if not isinstance(node, yaml.CollectionNode):
        return
    node.flow_style = True
    if before + _least(node) <= WIDTH:
        line = _serialized(node)
        if line.count("\n") == 1 and "\\n" not in line and before + len(line) <= WIDTH:
            return
    node.flow_style = False
    for each in node.value:
        if isinstance(node, yaml.MappingNode):
            key, value = each
            deeper = indent if isinstance(value, yaml.SequenceNode) else indent + 2
            _lay_out(value, deeper, indent + len(key.value) + 2)
        else:
            _lay_out(each, indent + 2, indent + 2)


def _least(node: yaml.Node) -> int:
    """Columns that a node takes without its punctuation: to serialize it takes a hundred times as long."""
    if isinstance(node, yaml.MappingNode):
        return sum(_least(key) + _least(value) for key, value in node.value)
    return sum(map(_least, node.value)) if isinstance(node, yaml.SequenceNode) else len(node.value)
