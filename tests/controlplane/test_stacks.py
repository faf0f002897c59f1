"""A real API server takes every object of every stack, and its controllers and scheduler do with them what we meant."""

from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass

import pytest
from pulumi_offline import Resource, preview
from rdma_cluster.claims.slices import resource_slices
from tests.clouds import clouds
from tests.stacks import ROOT, graph_of
from .api import FIELD_MANAGER, Api, Applied, Object, established
from .cluster import Cluster
from .definitions import RECORDED, definition
from .scenarios import device_classes
from .stack_objects import DEFINITION, Pool, manifest, not_applied, of_kubernetes, pasted, pools

SECONDS = 60.0
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


def apply_all(taken: list[Resource], cluster: Cluster, definitions: Cluster) -> dict[str, Applied]:
    """By URN what the server made of each, after the kinds that it must know."""
    for kind in sorted({resource.inputs["kind"] for resource in taken} & RECORDED.keys()):
        definitions.api.wait(definitions.apply(definition(kind)).result, established, SECONDS)

    def apply(resource: Resource) -> Applied:
        if resource.type != DEFINITION:
            return cluster.apply(manifest(resource))
        applied = definitions.apply(manifest(resource))
        definitions.api.wait(applied.result, established, SECONDS)
        return applied

    return {resource.urn: apply(resource) for resource in taken}


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


def add_pool_node(cluster: Cluster, pool: Pool, name: str, labels: dict[str, str] | None = None) -> None:
    """A node as the pool would have it: its labels, its taints, and what its drivers publish."""
    taints = [
        {"key": each["key"], "value": each.get("value", ""), "effect": each["effect"]}
        for each in pool.workload["tolerations"]
    ]
    gpus = pool.workload["resources"].get("limits", {})
    cluster.add_node(name, {**pool.workload["nodeSelector"], **(labels or {})}, taints, gpus)
    cluster.create_all([each.manifest() for each in resource_slices(pool.machine, pool.target, name)])


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


def lacking(sent: object, stored: object, path: str = "") -> list[str]:
    """Where the stored object does not say what was sent; what the server adds is its own affair."""
    if isinstance(sent, dict) and isinstance(stored, dict):
        return [line for key, value in sent.items() for line in lacking(value, stored.get(key), f"{path}.{key}")]
    if isinstance(sent, list) and isinstance(stored, list) and len(sent) == len(stored):
        pairs = enumerate(zip(sent, stored, strict=True))
        return [line for i, pair in pairs for line in lacking(*pair, f"{path}[{i}]")]
    if not sent and stored is None:
        return []  # the API leaves out what is empty
    return [] if sent == stored else [f"{path}: sent {sent!r}, stored {stored!r}"]


def managed(result: Object) -> list[Object]:
    """The fields that are ours in an object, and when one of them last changed."""
    return [entry for entry in result["metadata"].get("managedFields", ()) if entry["manager"] == FIELD_MANAGER]


def in_own_namespace(template: Object) -> Object:
    """A copy that names no namespace."""
    return {
        "apiVersion": template["apiVersion"],
        "kind": template["kind"],
        "metadata": {"name": template["metadata"]["name"]},
        "spec": template["spec"],
    }


def asks_for_pool(pod: Object) -> bool:
    """Whether a pod says anything of its node, or wants devices."""
    return bool(pod.get("nodeSelector") or pod.get("affinity", {}).get("nodeAffinity") or pod.get("resourceClaims"))


def scheduled_everywhere(daemon_set: Object | None) -> int | None:
    """How many nodes a DaemonSet is for, once its controller has looked and made a pod for each."""
    status = daemon_set["status"] if daemon_set else {}
    wanted = status.get("desiredNumberScheduled", 0)
    return wanted if wanted and status.get("currentNumberScheduled") == wanted else None


def bound(cluster: Cluster, owner: Object, wanted: int) -> set[str]:
    """The nodes of the owner's pods, when as many as wanted are bound."""
    nodes: dict[str, str] = {}
    for pod in cluster.api.watch("v1", "Pod", owner["metadata"]["namespace"], SECONDS):
        owners = {each["uid"] for each in pod["metadata"].get("ownerReferences", ())}
        if owner["metadata"]["uid"] in owners and pod["spec"].get("nodeName"):
            nodes[pod["metadata"]["name"]] = pod["spec"]["nodeName"]
        if len(nodes) >= wanted:
            return set(nodes.values())
    raise TimeoutError(f"{owner['kind']} {owner['metadata']['name']}: {len(nodes)} of {wanted} pods bound: {nodes}")
