"""What a released version made, as text: a line for each resource, with its types, its name, and what is fixed of it.

A stack's file holds the stack, and its cloud's variants as their difference from it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Any

from pulumi_offline import Graph, Resource
from pulumi_offline.aliases import as_known
from pulumi_offline.graph import title, type_and_name
from pulumi_offline.immutable import Fixed, fixed
from pulumi_offline.replacements import replacements, roots
from tests.clouds import clouds
from tests.stacks import cloud_of

HERE = Path(__file__).parent
CHANGELOG = HERE.parents[1] / "CHANGELOG.md"
_OURS = "rdma-cluster:index:"
_LONG = 200
_OPTIONS = ("aliases", "replacementTrigger")
_SAID = re.compile(r"^- (?:Replaces|Removes) `([^`]+)`: \S", re.MULTILINE)

Lines = dict[str, str]
"""Fixed inputs by types and name, as they stand on a line."""


def path_of(version: str, stack: str) -> Path:
    """Where the record of a stack is kept."""
    return HERE / version / f"{stack}.txt"


def graphs_of(stack: str) -> dict[str, tuple[str, ...]]:
    """What `graph_of` takes, by name, for a stack and the variants that are made of it."""
    (cloud,) = [each for each in clouds() if each.name == cloud_of(stack)]
    return {name: graph for name, graph in cloud.graphs.items() if graph[0] == stack}


def is_released(version: str) -> bool:
    """Whether the changelog has a section of it: from then on its record is what users have."""
    return _heading(version) is not None


def said(version: str) -> list[str]:
    """What the changelog says that later versions replace or remove: ``- Replaces `TYPE NAME`: why``."""
    heading = _heading(version)
    return _SAID.findall(CHANGELOG.read_text()[: heading.start()]) if heading else []


def _heading(version: str) -> re.Match[str] | None:
    return re.search(rf"^## \[?{re.escape(version)}\b", CHANGELOG.read_text(), re.MULTILINE)


def lines_of(graph: Graph) -> Lines:
    """A graph as it is recorded."""
    return {_types_and_name(each.urn): _kept(each) for each in graph.resources}


def write(graphs: Mapping[str, Graph]) -> str:
    """The file of a stack, whose own graph is the first."""
    (stack, own), *variants = [(name, lines_of(graph)) for name, graph in graphs.items()]
    text = [f"[{stack}]", *(_line(each, own[each]) for each in sorted(own))]
    for name, lines in variants:
        gone = [f"- {each}" for each in sorted(own.keys() - lines.keys())]
        new = [f"+ {_line(each, lines[each])}" for each in sorted(lines) if own.get(each) != lines[each]]
        text += ["", f"[{name}]", *gone, *new]
    return "\n".join(text) + "\n"


def read(text: str) -> dict[str, Lines]:
    """The graphs that `write` wrote, by name."""
    graphs: dict[str, Lines] = {}
    for section in text.strip().split("\n\n"):
        heading, *lines = section.split("\n")
        own = dict(next(iter(graphs.values()), {}))
        for line in lines:
            sign, rest = (line[0], line[2:]) if graphs else ("+", line)
            types, name, inputs = (*rest.split(" ", 2), "{}")[:3]
            if sign == "-":
                del own[f"{types} {name}"]
            else:
                own[f"{types} {name}"] = inputs
        graphs[heading[1:-1]] = own
    return graphs


def lost(recorded: Lines, after: Graph) -> Iterator[str]:
    """What an upgrade from a recorded state deletes or makes anew, and why: ``gcp:container/nodePool:NodePool gke-a4``.

    What goes and comes with another one is told by that one alone.
    """
    before = as_known(_graph(recorded, after), after)
    now = Graph(after.stack, tuple(_recorded(each) for each in after.resources))
    staying = {each.urn for each in now.resources}
    for each in before.resources:
        if each.urn not in staying:
            yield f"{title(each.urn)}: gone"
    anew = replacements(before, now)
    for urn in roots(anew):
        yield f"{title(urn)}: {', '.join(anew[urn])}"


def unsaid(losses: Iterator[str], patterns: list[str]) -> list[str]:
    """The losses that no pattern names."""
    return [each for each in losses if not any(fnmatchcase(each.partition(": ")[0], one) for one in patterns)]


def _line(types_and_name: str, inputs: str) -> str:
    return types_and_name if inputs == "{}" else f"{types_and_name} {inputs}"


def _types_and_name(urn: str) -> str:
    _, _, types, name = urn.split("::", 3)
    return f"{types.replace(_OURS, '').removeprefix('pulumi:pulumi:Stack$')} {name}"


def _graph(lines: Lines, after: Graph) -> Graph:
    """A recorded graph, as far as an upgrade asks for it."""
    home = "::".join(after.resources[0].urn.split("::")[:2])
    resources = []
    for each, text in lines.items():
        types, _, name = each.partition(" ")
        chain = "$".join(of if ":" in of else _OURS + of for of in types.split("$"))
        kept = json.loads(text)
        kept = kept if isinstance(kept, dict) else _named(kept)
        options = kept.pop("options", {})
        urn = f"{home}::{chain}::{name}"
        resources.append(Resource(urn, type_and_name(urn)[0], name, None, None, kept, options))
    return Graph(after.stack, tuple(sorted(resources, key=lambda each: each.urn)))


def _kept(resource: Resource) -> str:
    """The inputs of a resource that are fixed, and the options of which its state depends, as JSON."""
    kept = _recorded(resource).inputs
    options = {key: resource.options[key] for key in _OPTIONS if key in resource.options}
    if resource.type.startswith("kubernetes:") and not options:
        return json.dumps(kept["name"])
    return json.dumps({**kept, **({"options": options} if options else {})}, sort_keys=True)


def _recorded(resource: Resource) -> Resource:
    """A resource with its fixed inputs alone; of an object of Kubernetes its name, for what is in it may change."""
    if resource.type.startswith("kubernetes:"):
        named = {**resource.inputs, **resource.inputs.get("metadata", {})}
        inputs = _named("/".join(named[key] for key in ("namespace", "name") if key in named))
        return replace(resource, inputs=inputs)
    row = fixed(resource.type)
    return replace(resource, inputs=_fixed_in(resource.inputs, row, "") if row is not None else {})


def _named(name: str) -> dict[str, Any]:
    """The inputs of an object of Kubernetes, or of a release of Helm: its name with its namespace."""
    return {"name": name, "metadata": {"name": name}}


def _fixed_in(value: dict[str, Any], row: Fixed, path: str) -> dict[str, Any]:
    """What is fixed of a mapping, and of those in it."""
    found: dict[str, Any] = {}
    for key, of in value.items():
        here = f"{path}.{key}".lstrip(".")
        if row.holds(here):
            found[key] = _short(of)
        elif isinstance(of, dict) and (below := _fixed_in(of, row, here)):
            found[key] = below
    return found


def _short(value: Any) -> Any:
    """A value with its long texts, such as user data, as digests."""
    if isinstance(value, dict):
        return {key: _short(of) for key, of in value.items()}
    if isinstance(value, list):
        return [_short(each) for each in value]
    return sha256(value.encode()).hexdigest() if isinstance(value, str) and len(value) > _LONG else value


VERSIONS = sorted(path.name for path in HERE.iterdir() if path.name[0].isdigit())
