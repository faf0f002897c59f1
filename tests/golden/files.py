"""Golden files: the graph of a stack as text that is read in a review.

The first stack of a cloud is kept as a whole, another as its difference from the first where that is shorter.
"""

import json
import re
from base64 import b64decode, b64encode
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from pulumi_offline import Graph
from tests.clouds import HERE as TESTS, clouds
from tests.quick_yaml import load
from tests.stacks import cloud_of
from .likeness import changed, difference
from .text import dump
from .tree import Tree, graph_of, tree_of

_LONG = 100


def path_of(stack: str) -> Path:
    """Where the golden graph of a stack is kept."""
    return TESTS / cloud_of(stack) / "golden" / f"{stack}.yaml"


def condensed(graph: Graph) -> Graph:
    """The graph with what has tests of its own as sizes and digests: source files, and what claim templates ask.

    What is encoded inside, JSON or base64, is spelled out, if it would be encoded to the same text again.
    """
    data = graph.to_dict()
    resources = [
        {**each, "inputs": {**each["inputs"], "spec": _asked(each["inputs"]["spec"])}}
        if each["type"].endswith(":ResourceClaimTemplate")
        else each
        for each in data["resources"]
    ]
    return Graph.from_dict(_condensed({**data, "resources": resources}))


def write(graph: Graph, like: Graph | None = None) -> str:
    """A condensed graph as text; with another one whose difference is shorter, as this difference."""
    tree = tree_of(graph)
    whole = dump(tree)
    if like is None:
        return whole
    short = dump(difference(tree_of(like), tree))
    return short if len(short) < len(whole) else whole


def read(text: str, like: Graph | None = None) -> Graph:
    """The graph that `write` wrote."""
    return graph_of(_tree(load(text), like))


def kept(stack: str) -> Graph:
    """The golden graph of a stack."""
    return read(path_of(stack).read_text(), None if (first := first_of(stack)) is None else kept(first))


def first_of(stack: str) -> str | None:
    """The stack that another may be kept as a difference from."""
    (stacks,) = [cloud.stacks for cloud in clouds() if cloud.name == cloud_of(stack)]
    return stacks[0] if stacks[0] != stack else None


def _tree(said: Tree, like: Graph | None) -> Tree:
    if "like" not in said:
        return said
    assert like is not None and said["like"] == like.stack
    return changed(tree_of(like), said)


def _asked(spec: Any) -> str:
    asks = spec["spec"]["devices"]
    requests, constraints = len(asks["requests"]), len(asks.get("constraints", []))
    return f"requests {requests}, constraints {constraints}, sha256 {_sha(json.dumps(spec, sort_keys=True))}"


def _condensed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _digest(of) if key.endswith((".py", ".sh")) else _condensed(of) for key, of in value.items()}
    if isinstance(value, list):
        return [_condensed(item) for item in value]
    return _spelled_out(value) if isinstance(value, str) else value


def _spelled_out(text: str) -> Any:
    if text[:1] == "{":
        with suppress(ValueError):
            if json.dumps(said := json.loads(text), sort_keys=True) == text:
                return {"JSON": _condensed(said)}
    if len(text) > _LONG and re.fullmatch(r"[\w+/]+=*", text):
        with suppress(ValueError):
            if b64encode((said := b64decode(text)).decode("ascii").encode()) == text.encode():
                return {"base64": said.decode()}
    return text


def _digest(source: str) -> str:
    return f"{source.count(chr(10))} lines, sha256 {_sha(source)}"


def _sha(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
