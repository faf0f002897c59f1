"""Golden files: the graph of a stack as text that is read in a review."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml
from rdma_cluster.offline import Graph

from tests.stacks import cloud_of

TESTS = Path(__file__).parents[1]


class _Dumper(yaml.SafeDumper):
    """Scripts as blocks, and no anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def path_of(stack: str) -> Path:
    """Where the golden graph of a stack is kept."""
    return TESTS / cloud_of(stack) / "golden" / f"{stack}.yaml"


def condensed(graph: Graph) -> Graph:
    """The graph with the judge's source files, which have tests of their own, as their sizes and digests."""
    return Graph.from_dict(_condensed(graph.to_dict()))


def _condensed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _digest(of) if key.endswith((".py", ".sh")) else _condensed(of) for key, of in value.items()}
    return [_condensed(item) for item in value] if isinstance(value, list) else value


def _digest(source: str) -> str:
    return f"{source.count(chr(10))} lines, sha256 {sha256(source.encode()).hexdigest()[:16]}"


def write(graph: Graph) -> str:
    """A graph as text: its resources by URN, with what is empty left out."""
    resources = [{key: value for key, value in each.items() if value} for each in graph.to_dict()["resources"]]
    data = {"stack": graph.stack, "resources": resources, "outputs": graph.outputs}
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True)


def read(text: str) -> Graph:
    """The graph that `write` wrote."""
    data = yaml.safe_load(text)
    empty = {"parent": None, "provider": None, "inputs": {}, "options": {}, "dependencies": []}
    return Graph.from_dict({**data, "resources": [{**empty, **each} for each in data["resources"]]})
