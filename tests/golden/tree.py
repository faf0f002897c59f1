"""A graph as a tree that a person can read, and back: each resource below its parent, by type and name.

A resource is a mapping of its inputs. Beside them stand `.options`, `.after` (what it waits for), `.provider`,
`.read` (nothing is made: it is there) and `.below` (its children). Left out is what follows from the rest: URNs; the
provider, where the graph has one for the package of the type; `apiVersion` and `kind`, where the type says them. Types
are shortened: `GkeCluster` is one of our own, and `gcp:compute/Network` is `gcp:compute/network:Network`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pulumi_offline import Graph, Resource

Tree = dict[str, Any]

_OWN = "rdma-cluster:index:"
_PROJECT = "rdma-cluster"
_HELM = "kubernetes:helm.sh/"
_BESIDE = ".options", ".after", ".provider", ".read", ".below"


def tree_of(graph: Graph) -> Tree:
    """The tree of a graph."""
    short = _short_names(graph.resources)
    providers = _providers(graph.resources)
    found: dict[str | None, Tree] = {each.urn: {} for each in graph.resources} | {None: {}}
    for each in graph.resources:
        kind = _kind(each.type)
        node = {key: value for key, value in each.inputs.items() if kind.get(key) != value}
        if kind.keys() - each.inputs.keys():
            node[".read"] = True
        if each.options:
            node[".options"] = _replaced(each.options, short)
        if each.dependencies:
            node[".after"] = sorted(short.get(urn, urn) for urn in each.dependencies)
        if each.provider != providers.get(_package(each.type)):
            node[".provider"] = short.get(each.provider, each.provider) if each.provider else None
        node[".below"] = found[each.urn]
        found[each.parent][f"{_short(each.type)} {each.name}"] = node
    for node in found.values():
        for child in node.values():
            if not child[".below"]:
                del child[".below"]
    return {"stack": graph.stack, "resources": found[None], "outputs": graph.outputs}


def graph_of(tree: Tree) -> Graph:
    """The graph of a tree."""
    placed = list(_placed(tree["stack"], None, "", tree["resources"]))
    urns = {name: urn for urn, name in _short_names(placed).items()}
    providers = _providers(placed)
    resources = []
    for urn, token, name, parent, node in placed:
        provider = node[".provider"] if ".provider" in node else providers.get(_package(token))
        kind = {} if ".read" in node else _kind(token)
        inputs = {**kind, **{key: value for key, value in node.items() if key not in _BESIDE}}
        after = tuple(sorted(urns.get(each, each) for each in node.get(".after", [])))
        options = _replaced(node.get(".options", {}), urns)
        resources.append(Resource(urn, token, name, parent, urns.get(provider, provider), inputs, options, after))
    return Graph(tree["stack"], tuple(sorted(resources, key=lambda each: each.urn)), tree["outputs"])


class _Placed(NamedTuple):
    urn: str
    type: str
    name: str
    parent: str | None
    node: Tree


def _placed(stack: str, parent: str | None, types: str, children: Tree) -> Iterator[_Placed]:
    """Every resource below a parent, with its URN."""
    for key, node in children.items():
        short, _, name = key.partition(" ")
        token = _long(short)
        urn = f"urn:pulumi:{stack}::{_PROJECT}::{types}{token}::{name}"
        yield _Placed(urn, token, name, parent, node)
        yield from _placed(stack, urn, f"{types}{token}$", node.get(".below", {}))


def _short_names(resources: Sequence[Resource | _Placed]) -> dict[str, str]:
    """For each URN the resource's type and name; those of its parents before them where another has the same."""
    parents = {each.urn: each.parent for each in resources}
    own = {each.urn: f"{_short(each.type)} {each.name}" for each in resources}
    names: dict[str, str] = {}
    longer, above = dict(own), dict(parents)
    while longer:
        often = Counter([*longer.values(), *names.values()])
        names |= {urn: name for urn, name in longer.items() if often[name] == 1}
        longer = {
            urn: f"{own[parent]} / {name}"
            for urn, name in longer.items()
            if urn not in names and (parent := above[urn]) is not None
        }
        above = {urn: parents[parent] for urn in longer if (parent := above[urn]) is not None}
    return names


def _providers(resources: Sequence[Resource | _Placed]) -> dict[str, str]:
    """The provider of each package that has exactly one."""
    made = [each for each in resources if each.type.startswith("pulumi:providers:")]
    often = Counter(each.type for each in made)
    return {each.type.rpartition(":")[2]: each.urn for each in made if often[each.type] == 1}


def _replaced(value: Any, texts: Mapping[str, str]) -> Any:
    """A value with texts in the place of others, in full."""
    if isinstance(value, dict):
        return {key: _replaced(of, texts) for key, of in value.items()}
    if isinstance(value, list):
        return [_replaced(item, texts) for item in value]
    return texts.get(value, value) if isinstance(value, str) else value


def _package(token: str) -> str:
    return token.partition(":")[0]


def _short(token: str) -> str:
    if token.startswith(_OWN):
        return token.removeprefix(_OWN)
    package, module, name = token.split(":")
    room, _, last = module.partition("/")
    return f"{package}:{room}/{name}" if last == f"{name[0].lower()}{name[1:]}" else token


def _long(short: str) -> str:
    if ":" not in short:
        return f"{_OWN}{short}"
    if short.count(":") == 2:
        return short
    package, _, rest = short.partition(":")
    room, _, name = rest.partition("/")
    return f"{package}:{room}/{name[0].lower()}{name[1:]}:{name}"


def _kind(token: str) -> dict[str, str]:
    """What a Kubernetes type says of its objects."""
    if not token.startswith("kubernetes:") or token.startswith(_HELM):
        return {}
    _, version, kind = token.split(":")
    return {"apiVersion": version.removeprefix("core/"), "kind": kind}
