"""Every key of every stack, changed on a living one: in place, by another name, or made anew in an order that works."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from ipaddress import IPv4Network
from types import ModuleType
from typing import Any, get_type_hints

import pytest
from pulumi_offline import Graph, GraphDiff, Resource, diff
from pulumi_offline.immutable import fixed
from pulumi_offline.replacements import refusals, replacements
from tests.clouds import CloudTests, with_all_graphs
from tests.stacks import ROOT, graph_of

CLOUDS: list[ModuleType] = [
    import_module(f"tests.{path.parent.name}.changes") for path in sorted((ROOT / "tests").glob("*/changes.py"))
]
IN_CLUSTER = ("acceptance", "claims", "drivers", "injection", "queues", "inference", "monitoring")
"""Parts that are the same on each cluster: their keys change where they are first seen, on the others one of each."""
NO_CLUSTER = "gce"


def tried() -> Iterator[Any]:
    """The keys that change on each cloud's stack. `make test` asks one of each part of EKS's, `make thorough` all.

    `make mutate` asks one of each part, too: on the first stack that has it, of pools on each.
    """
    seen: set[str] = set()
    # The graph of EKS costs the least.
    for cloud in sorted(CLOUDS, key=lambda cloud: cloud.STACK != "eks"):
        parts: set[str] = set()
        for key in cloud.OTHER:
            part = key.partition(".")[0]
            if cloud.STACK == NO_CLUSTER or part not in IN_CLUSTER or key not in seen or part not in parts:
                elsewhere = part != "pools" and any(each.partition(".")[0] == part for each in seen)
                again = part in parts or elsewhere
                marks = pytest.mark.thorough if again else () if cloud.STACK == "eks" else pytest.mark.variant
                yield pytest.param(cloud, key, id=f"{cloud.STACK} {key}", marks=marks)
            parts.add(part)
        seen |= set(cloud.OTHER) if cloud.STACK != NO_CLUSTER else set()


CASES = list(tried())
JOB = "kubernetes:batch/v1:Job"
_COLLIDES = ("metadata.name", "name", "nodeGroupName")
_SAME_NODES = ("pools", "pools.labels", "pools.auto_repair", "claims.namespaces")
_SUBNETS = {
    "gcp:compute/subnetwork:Subnetwork": "ipCidrRange",
    "aws:ec2/subnet:Subnet": "cidrBlock",
    "oci:Core/subnet:Subnet": "cidrBlock",
}


def keys(shape: Any, path: str = "") -> Iterator[str]:
    """Every key of a stack's args by its path, lists of objects as one."""
    for name, hint in get_type_hints(shape).items():
        here = f"{path}.{name}".lstrip(".")
        inner = next((each for each in _shapes(hint)), None)
        if inner is None or name == "existing":
            yield here
        else:
            if hint is not inner and "list" in repr(hint):
                yield here
            yield from keys(inner, here)


def _shapes(hint: Any) -> Iterator[Any]:
    if hasattr(hint, "__required_keys__"):
        yield hint
    for each in getattr(hint, "__args__", ()):
        yield from _shapes(each)


@dataclass(frozen=True)
class Step:
    """A stack before and after one key changed."""

    before: Graph
    after: Graph
    difference: GraphDiff
    anew: dict[str, list[str]]

    @property
    def now(self) -> dict[str, Resource]:
        """The resources after it, by URN."""
        return {each.urn: each for each in self.after.resources}


def step(cloud: ModuleType, key: str) -> Step:
    """What a change of a key does to a stack."""
    return _step(cloud.STACK, cloud.OTHER[key])


@cache
def _step(stack: str, values: tuple[str, ...]) -> Step:
    """The same, once for keys that change together."""
    before, after = graph_of(stack), graph_of(stack, *values)
    return Step(before, after, diff(before, after), replacements(before, after))


@pytest.mark.parametrize("cloud", CLOUDS, ids=lambda cloud: cloud.STACK)
def test_no_key_is_left_out(cloud: ModuleType):
    """The list follows from the stack's own shape: a new key needs another value, or the reason why it has none."""
    assert {*cloud.OTHER, *cloud.UNCHANGED} == set(keys(cloud.ARGS))


@pytest.mark.parametrize(("cloud", "key"), CASES)
def test_key_changes_something(cloud: ModuleType, key: str):
    """A change that changes nothing tests nothing."""
    assert step(cloud, key).difference


@pytest.mark.parametrize("cloud", with_all_graphs())
def test_every_type_is_known(cloud: CloudTests):
    """What of it is decided once stands in the catalogue, with its source."""
    types = {each.type for graph in cloud.graphs.values() for each in graph_of(*graph).resources}

    rows = {each: fixed(each) for each in types if not each.startswith("rdma-cluster:")}
    assert [each for each, row in rows.items() if row is None or not row.source.ref] == []


@pytest.mark.parametrize(("cloud", "key"), CASES)
def test_what_is_made_anew_has_its_name_free(cloud: ModuleType, key: str):
    """Who keeps its name or its addresses goes before its successor comes."""
    change = step(cloud, key)
    old = {each.urn: each for each in change.before.resources}
    new = change.now
    first = {urn for urn in change.anew if new[urn].options.get("deleteBeforeReplace")}
    for urn in change.anew:
        if not new[urn].type.startswith("rdma-cluster:") and _keeps_what_is_unique(old[urn], new[urn], change.anew):
            assert urn in first or _goes_with(new[urn], new, first), urn


@pytest.mark.parametrize(("cloud", "key"), CASES)
def test_no_cloud_refuses_it(cloud: ModuleType, key: str):
    """What an API refuses to change in place is made anew, by an option or under another name."""
    change = step(cloud, key)

    assert refusals(change.before, change.after, change.anew) == []


@pytest.mark.parametrize(("cloud", "key"), CASES)
def test_a_cluster_takes_everything_on_it_along(cloud: ModuleType, key: str):
    """When the cluster is made anew nothing of the old one is asked for, nor thought to be there still."""
    change = step(cloud, key)
    if any(kind in urn for urn in change.anew for kind in (":Cluster::", ":ManagedCluster::")):
        both = {each.urn for each in change.before.resources} & set(change.now)
        on_it = {urn for urn in both if change.now[urn].type.startswith("kubernetes:")}

        assert on_it - set(change.anew) == set()


@pytest.mark.parametrize(("cloud", "key"), CASES)
def test_a_proof_is_of_the_nodes_that_are_there(cloud: ModuleType, key: str):
    """New nodes are tested; and where nothing gives a pool new nodes, no test runs again for nothing."""
    change = step(cloud, key)
    before, after, anew = change.before, change.after, change.anew
    fresh = {
        pool.name
        for pool in after.of_type(cloud.POOL)
        if pool.urn in anew or any(_has_changed(pool, before, path) for path in cloud.NODES)
    }
    fresh |= {each.name for each in after.of_type("aws:ec2/launchTemplate:LaunchTemplate") if _differs(each, before)}
    old = {job.name: job.inputs["metadata"]["name"] for job in before.of_type(JOB)}
    for job in after.of_type(JOB):
        if job.name in old and job.name in fresh:
            assert job.inputs["metadata"]["name"] != old[job.name]
        if job.name in old and key in (*_SAME_NODES, *cloud.SAME_PROOF):
            assert job.inputs["metadata"]["name"] == old[job.name]


def test_the_generated_list_can_grow():
    """A shape with a key that nobody thought of has it in its list."""
    assert "pools.capacity.spot" in set(keys(CLOUDS[0].ARGS)) and "zone" in set(keys(CLOUDS[0].ARGS))


def _goes_with(resource: Resource, all_of: dict[str, Resource], roots: set[str]) -> bool:
    """Whether one of those takes it along: by a dependency, its provider or its life."""
    at: Resource | None = resource
    while at is not None:
        if at.options.get("deletedWith") in roots or at.provider in roots:
            return True
        at = all_of.get(at.parent) if at.parent else None
    # A provider that is made anew takes its objects down before the new ones come up: the engine's own order.
    return bool(set(resource.dependencies) & roots) or resource.type.startswith(("pulumi:", "kubernetes:"))


def _keeps_what_is_unique(old: Resource, new: Resource, anew: dict[str, list[str]]) -> bool:
    """A name that stays, or addresses that old and new share in a network that stays."""
    if (key := _SUBNETS.get(new.type)) is not None:
        networks = ("etwork:Network::", "Vpc::", "Vcn::")
        network_stays = not any(urn in anew for urn in new.dependencies if any(each in urn for each in networks))
        return network_stays and IPv4Network(old.inputs[key]).overlaps(IPv4Network(new.inputs[key]))
    values = [(_at(old.inputs, path), _at(new.inputs, path)) for path in _COLLIDES]
    return any(one is not None and one == other for one, other in values)


def _at(inputs: dict[str, Any], path: str) -> Any:
    found: Any = inputs
    for step in path.split("."):
        found = found.get(step) if isinstance(found, dict) else None
    return found


def _has_changed(resource: Resource, before: Graph, path: str) -> bool:
    old = next((each for each in before.of_type(resource.type) if each.urn == resource.urn), None)
    return old is not None and _at(old.inputs, path) != _at(resource.inputs, path)


def _differs(resource: Resource, before: Graph) -> bool:
    old = next((each for each in before.of_type(resource.type) if each.urn == resource.urn), None)
    return old is not None and old.inputs != resource.inputs
