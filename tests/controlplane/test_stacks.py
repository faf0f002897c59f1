"""A real API server takes every object of every stack, and its controllers and scheduler do with them what we meant."""

import json
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass

import pytest
from pulumi_offline import preview
from tests.cli.commands import command
from tests.clouds import clouds
from tests.stacks import ROOT, graph_of
from .api import Api, Applied, Object
from .applied import (
    SECONDS,
    add_pool_node,
    apply_all,
    bound,
    define_mpi_job,
    in_own_namespace,
    lacking,
    managed,
    scheduled_everywhere,
)
from .cluster import Cluster
from .scenarios import device_classes
from .stack_objects import Pool, manifest, not_applied, of_kubernetes, pasted, pools

DECOY = "of-no-pool"


@dataclass(frozen=True)
class Installed:
    """A stack in a cluster that has the stack's GPU nodes, and one node that belongs to no pool."""

    stack: str
    cluster: Cluster
    pools: list[Pool]
    applied: dict[str, Applied]
    """By URN."""
    again: dict[str, Applied]
    """The same, a second time."""


@pytest.fixture(scope="module", params=[stack for cloud in clouds() if cloud.has_kubernetes for stack in cloud.stacks])
def installed(request: pytest.FixtureRequest, api: Api, definitions: Cluster) -> Iterator[Installed]:
    """All objects of one stack, applied in the order of their dependencies."""
    graph = graph_of(request.param)
    with chdir(ROOT):
        found = pools(request.param, graph)
    with Cluster(api) as cluster:
        cluster.add_node(DECOY)
        for pool in found:
            for name in pool.nodes:
                add_pool_node(cluster, pool, name)
        taken = [resource for resource in of_kubernetes(graph) if not not_applied(resource, graph)]
        ours = {resource.inputs["metadata"]["name"] for resource in taken if resource.inputs["kind"] == "DeviceClass"}
        brought = device_classes([pool.target for pool in found])  # those that the charts bring
        cluster.create_all([each for each in brought if each["metadata"]["name"] not in ours])
        applied, again = (apply_all(taken, cluster, definitions) for _ in range(2))
        yield Installed(request.param, cluster, found, applied, again)


EXAMPLES = ("existing-aks", "existing-eks", "existing-gke", "existing-oke", "in-cluster")


@pytest.mark.parametrize("example", EXAMPLES)
def test_objects_of_an_example_are_taken(example: str, api: Api, definitions: Cluster):
    """As those of a stack, without nodes."""
    graph = preview(ROOT / "examples" / example)
    taken = [resource for resource in of_kubernetes(graph) if not not_applied(resource, graph)]
    with Cluster(api) as cluster:
        applied = apply_all(taken, cluster, definitions)

    for resource in taken:
        result, warnings = applied[resource.urn]
        assert warnings == [] and lacking(manifest(resource), result) == [], resource.urn


@pytest.mark.parametrize(
    "words",
    [
        ("a4", "--stack", "gke", "--nodes", "2", "--rails", "rail-3"),
        ("a4", "--stack", "gke", "--nodes", "1", "--env", "NCCL_ALGO=Ring"),
        ("p5.48xlarge", "--nodes", "2"),
    ],
    ids=" ".join,
)
def test_an_nccl_test_by_hand_is_taken(words: tuple[str, ...], cluster: Cluster, definitions: Cluster):
    """The server takes every object that `job --kind nccl-test` prints, an MPIJob as its operator defines it."""
    define_mpi_job(definitions)
    code, out, err = command("job", *words, "--kind", "nccl-test", "--json")
    assert code == 0, err

    for each in json.loads(out):
        assert cluster.api.apply(each, dry_run=True).warnings == [], each["kind"]


def test_every_object_is_taken_without_a_warning(installed: Installed):
    """Strictly validated, and stored as it was sent."""
    for resource in of_kubernetes(graph_of(installed.stack)):
        if resource.urn in installed.applied:
            result, warnings = installed.applied[resource.urn]
            assert warnings == [], resource.urn
            assert lacking(manifest(resource), result) == [], resource.urn


def test_a_second_apply_changes_nothing(installed: Installed):
    """What the server stored is what we would send again."""
    for urn, (first, _) in installed.applied.items():
        second, _ = installed.again[urn]
        assert managed(second) == managed(first), urn
        assert second["metadata"].get("generation") == first["metadata"].get("generation"), urn


def test_what_is_not_applied_has_a_reason(installed: Installed, record_property):
    """Charts and custom resources stay outside; they are listed, and nothing else is."""
    graph = graph_of(installed.stack)
    left = {
        f"{resource.type} {resource.name}": not_applied(resource, graph)
        for resource in of_kubernetes(graph)
        if resource.urn not in installed.applied
    }
    for what, reason in left.items():
        print(f"{installed.stack}: not applied: {what}: {reason}")
        record_property(what, reason)
    assert all(left.values())
    assert installed.applied


def claimed(pod: Object) -> set[str]:
    """The claim templates that a pod names."""
    return {claim["resourceClaimTemplateName"] for claim in pod.get("resourceClaims", [])}


def of_compute_domains(stack: str) -> set[str]:
    """Claim templates that NVIDIA's controller makes of a stack's ComputeDomains: it does not run here."""
    domains = [each for each in graph_of(stack).resources if each.type.endswith(":ComputeDomain")]
    return {each.inputs["spec"]["channel"]["resourceClaimTemplate"]["name"] for each in domains}


def test_agents_and_jobs_find_their_nodes(installed: Installed):
    """Pods of a DaemonSet or Job that ask for a pool's nodes or devices land on its tainted nodes; others keep off."""
    of_pools = {name for pool in installed.pools for name in pool.nodes}
    absent = of_compute_domains(installed.stack)
    for applied in installed.applied.values():
        if applied.result["kind"] == "DaemonSet":
            wanted = installed.cluster.api.wait(applied.result, scheduled_everywhere, SECONDS)
        elif applied.result["kind"] == "Job" and not absent & claimed(applied.result["spec"]["template"]["spec"]):
            wanted = applied.result["spec"]["parallelism"]
            if applied.result["spec"].get("suspend"):  # as its runner lets it run
                installed.cluster.api.merge(applied.result, {"spec": {"suspend": False}})
        else:
            continue
        nodes = bound(installed.cluster, applied.result, wanted)
        assert nodes <= (of_pools if asks_for_pool(applied.result["spec"]["template"]["spec"]) else {DECOY})
        assert len(nodes) == wanted


def test_every_claim_template_fits_its_pool(installed: Installed):
    """A pod that takes the pool's pod patch and a template, as the stack's output says, gets its devices."""
    for pool in installed.pools:
        offered = pool.workload["claimTemplates"]
        for number in range(len(offered)):
            add_pool_node(installed.cluster, pool, f"{pool.name}-free-{number}", {"e2e-template": str(number)})
        templates = {
            each.result["metadata"]["name"]: each.result
            for each in installed.applied.values()
            if each.result["kind"] == "ResourceClaimTemplate"
        }
        assert set(offered) <= set(templates)
        # The templates again, in the test's own namespace: the stack offers them where its users work.
        for name in offered:
            installed.cluster.apply(in_own_namespace(templates[name]))
        pods = [
            pasted(f"{pool.name}-{number}", pool.workload, name, {"e2e-template": str(number)})
            for number, name in enumerate(offered)
        ]
        placements = installed.cluster.schedule_all(pods, SECONDS)
        assert {
            name: placements[f"{pool.name}-{number}"].node or placements[f"{pool.name}-{number}"].message
            for number, name in enumerate(offered)
        } == {name: f"{pool.name}-free-{number}" for number, name in enumerate(offered)}


def asks_for_pool(pod: Object) -> bool:
    """Whether a pod says anything of its node, or wants devices."""
    return bool(pod.get("nodeSelector") or pod.get("affinity", {}).get("nodeAffinity") or pod.get("resourceClaims"))
