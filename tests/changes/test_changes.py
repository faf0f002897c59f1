"""Every key of every stack, changed on a living one: in place, by another name, or made anew in an order that works."""

from ipaddress import IPv4Network
from types import ModuleType
from typing import Any

import pytest
from pulumi_offline import Graph, Resource
from pulumi_offline.immutable import fixed
from pulumi_offline.replacements import refusals
from tests.changes.steps import CASES, CLOUDS, keys, step
from tests.clouds import CloudTests, with_all_graphs
from tests.stacks import graph_of

JOB = "kubernetes:batch/v1:Job"
_COLLIDES = ("metadata.name", "name", "nodeGroupName")
_SAME_NODES = ("pools", "pools.labels", "pools.auto_repair", "claims.namespaces")
_SUBNETS = {
    "gcp:compute/subnetwork:Subnetwork": "ipCidrRange",
    "aws:ec2/subnet:Subnet": "cidrBlock",
    "oci:Core/subnet:Subnet": "cidrBlock",
}


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

    rows = {each: fixed(each) for each in types if not each.startswith(("rdma-cluster:", "pulumi:index:"))}
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
    old = {job.name: _proves(job) for job in before.of_type(JOB) if job.name.endswith("-runner")}
    for job in after.of_type(JOB):
        if job.name in old and job.name.removesuffix("-runner") in fresh:
            assert job.urn in anew
        if job.name in old and key in (*_SAME_NODES, *cloud.SAME_PROOF):
            assert _proves(job) == old[job.name]


def _proves(runner: Resource) -> str:
    """By which a runner is told from that of another proof."""
    return runner.inputs["spec"]["template"]["metadata"]["annotations"]["rdma-cluster/proves"]


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
    for part in path.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _has_changed(resource: Resource, before: Graph, path: str) -> bool:
    old = next((each for each in before.of_type(resource.type) if each.urn == resource.urn), None)
    return old is not None and _at(old.inputs, path) != _at(resource.inputs, path)


def _differs(resource: Resource, before: Graph) -> bool:
    old = next((each for each in before.of_type(resource.type) if each.urn == resource.urn), None)
    return old is not None and old.inputs != resource.inputs
