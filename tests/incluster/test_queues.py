"""Queues count what the pools have, read the network, and know every claim that is offered."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog import find, machines
from rdma_cluster.catalog.machine import Machine
from rdma_cluster.fabrics import FABRICS, Claims, GpuAllocation
from rdma_cluster.incluster.addons.queues.charts import device_class_mappings
from rdma_cluster.incluster.addons.queues.objects import countable, full_node_cpu, quotas_of
from rdma_cluster.incluster.addons.queues.plan import QueuesPlan, plan_queues_on
from rdma_cluster.incluster.plan.claim_templates import claims_for, plan_claim_templates
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.incluster.plans import config_of, of_kind, planned_with
from tests.incluster.pools import CONTEXT, EFA, GIB, NAMED, NICS, PLUGGED, PLUGIN, RACKS, pool

HOST = "kubernetes.io/hostname"
GPU, NIC, CHANNEL = "nvidia.com/gpu", "rdma-cluster/nic", "rdma-cluster/imex-channel"
SHARED = pool("shared", "Standard_ND96isr_H100_v5", "infiniband-rdma-shared-ib", PLUGIN)
UNKNOWN = find("BM.GPU.H100T.8")


def queues_of(*pools: GpuPool, errors: ErrorList | None = None, **options: Any) -> QueuesPlan | None:
    """Plan the queues of these pools as a stack does."""
    given: Any = options
    return plan_queues_on(given, pools, CONTEXT, ["default"], ErrorList() if errors is None else errors, new=False)


def made(*pools: GpuPool, **options: Any) -> QueuesPlan:
    """Plan queues that must be possible."""
    plan = queues_of(*pools, **options)
    assert plan is not None
    return plan


@pytest.mark.parametrize(
    ("some", "quotas"),
    [
        (GIB, {GPU: 16, NIC: 16}),
        (EFA, {GPU: 16, NIC: 64}),
        (NAMED, {GPU: 16}),
        (PLUGGED, {GPU: 16, "vpc.amazonaws.com/efa": 64}),
        # Pods share all NICs of a node, so that one unit is counted a node.
        (SHARED, {GPU: 16, "rdma/shared_ib": 2}),
        (RACKS, {GPU: 8, NIC: 8, CHANNEL: 8}),
        (replace(GIB, nodes=0), {GPU: 0, NIC: 0}),
    ],
    ids=lambda each: each.name if isinstance(each, GpuPool) else "",
)
def test_a_quota_is_all_that_two_nodes_have(some: GpuPool, quotas: dict[str, int]):
    """NICs are counted by what pods ask for, and racks have channels besides."""
    assert {name: of for name, of in quotas_of(some).items() if name != "pods"} == quotas


@pytest.mark.parametrize("fabric", [each for each in FABRICS.values() if isinstance(each.nic_attachment, Claims)])
def test_every_claim_that_is_offered_can_queue(fabric: Any):
    """Kueue 0.19.2 takes requests of an exact number alone, of classes that it was told of (its pkg/dra/claims.go)."""
    for machine in (each for each in machines() if each.gpus and fabric.is_for(each)):
        some = GpuPool("p", machine, 3, fabric, GpuAllocation.DRA)
        known = {name for each in device_class_mappings([some]) for name in each["deviceClassNames"]}
        offered = plan_claim_templates(claims_for([some], {}, "1.35"), ErrorList())
        for template in offered.templates(machine.name, some.allocation) if offered else ():
            for request in template.spec()["spec"]["devices"]["requests"]:
                assert request["exactly"]["allocationMode"] == "ExactCount", template.name
                assert request["exactly"]["deviceClassName"] in known, template.name


@pytest.mark.parametrize("machine", [each for each in machines() if each.vcpus], ids=lambda each: each.name)
def test_one_pod_of_a_whole_node_fits_and_two_do_not(machine: Machine):
    """A pod leaves a third of the CPUs to what runs on every node; plugins count the GPUs, so that nobody need ask."""
    cpus, asked = machine.vcpus or 0, int(full_node_cpu(machine, GpuAllocation.DRA))

    assert cpus < asked * 2 and asked < cpus * 2 / 3
    assert full_node_cpu(machine, GpuAllocation.DEVICE_PLUGIN) == ""


def test_nodes_of_unknown_size_are_counted_and_not_placed():
    """Kueue cannot tell that such a node is full, nor one that is not there yet."""
    assert UNKNOWN is not None
    sizeless = replace(GIB, name="sizeless", machine=UNKNOWN)
    plan = made(sizeless, replace(NAMED, scales_from_zero=True), GIB, NICS)

    assert plan.levels == {"sizeless": (), "named": (), "gib": (HOST,), "nics": (HOST,)}
    assert [each.partition(" are counted")[0] for each in plan.warnings] == ["queues: jobs of sizeless"]
    assert not countable(sizeless) and countable(replace(sizeless, allocation=PLUGIN))


def test_claims_of_a_pool_that_starts_with_no_node_have_no_queue():
    """The jobs would wait for their devices, and the devices for a pod; other pools have their queues."""
    never, plugged = replace(GIB, scales_from_zero=True), replace(NAMED, scales_from_zero=True)
    plan, errors = made(never, plugged, NICS), ErrorList()

    assert list(plan.queues) == ["named", "nics"]
    assert len(plan.warnings) == 1 and "gib gets none" in plan.warnings[0]
    assert queues_of(never, errors=errors) is None and [each.path for each in errors.found()] == [("enabled",)]
    assert queues_of() is None


def test_levels_of_the_network_end_with_the_host():
    """Kueue heeds taints and replaces failed nodes only where hosts are the lowest level."""
    (labelled,), (hosts,) = (
        of_kind(planned_with(**more), "Topology") for more in ({"topology": {"a4": ["x/block", "x/rack"]}}, {})
    )

    assert [each["nodeLabel"] for each in labelled["spec"]["levels"]] == ["x/block", "x/rack", HOST]
    assert hosts["spec"]["levels"] == [{"nodeLabel": HOST}]


def test_what_cannot_change_is_another_object_when_it_changes():
    """Topologies and flavors with one are immutable; the queue names the new flavor."""
    before, after = planned_with(), planned_with(topology={"a4": ["x/block"]})
    for kind in ("Topology", "ResourceFlavor"):
        (old,), (new,) = of_kind(before, kind), of_kind(after, kind)
        assert old["metadata"]["name"] != new["metadata"]["name"]
    (flavor,), (queue,) = of_kind(after, "ResourceFlavor"), of_kind(after, "ClusterQueue")

    assert queue["spec"]["resourceGroups"][0]["flavors"][0]["name"] == flavor["metadata"]["name"]
    assert of_kind(planned_with(preemption=True), "ResourceFlavor") == of_kind(before, "ResourceFlavor")


def test_a_queue_counts_its_own_pool_in_every_namespace():
    """Kueue's webhooks stand in the way of pods there, and nowhere else; higher priorities preempt where asked."""
    plan = planned_with(namespaces=["default", "team"], create_namespaces=True, preemption=True, ready_minutes=90)
    (queue,), (flavor,) = of_kind(plan, "ClusterQueue"), of_kind(plan, "ResourceFlavor")
    (group,) = queue["spec"]["resourceGroups"]
    (term,) = queue["spec"]["namespaceSelector"]["matchExpressions"]

    assert [each["metadata"]["namespace"] for each in of_kind(plan, "LocalQueue")] == ["default", "team"]
    assert {each["spec"]["clusterQueue"] for each in of_kind(plan, "LocalQueue")} == {queue["metadata"]["name"]}
    assert plan.new_namespaces == ("team",) and plan.gpus == {"a4": 16}
    assert term == {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["default", "team"]}
    assert config_of(plan)["managedJobsNamespaceSelector"] == queue["spec"]["namespaceSelector"]
    assert config_of(plan)["waitForPodsReady"] == {"timeout": "90m", "blockAdmission": False}
    assert group["coveredResources"] == [each["name"] for each in group["flavors"][0]["resources"]]
    assert {"pods": "220", GPU: "16"}.items() <= {
        of["name"]: of["nominalQuota"] for of in group["flavors"][0]["resources"]
    }.items()
    assert flavor["spec"]["nodeLabels"] == {"pool": "a4"}
    preemptions = [of_kind(each, "ClusterQueue")[0]["spec"]["preemption"] for each in (plan, planned_with())]
    assert preemptions == [{"withinClusterQueue": "LowerPriority"}, {"withinClusterQueue": "Never"}]


def test_a_flavor_has_the_pools_taint_and_tolerates_all():
    """Kueue looks for room with what the flavor tolerates, before any webhook has seen a pod."""
    plan = planned_with(taint={"key": GPU, "value": "present"}, other_taints={"spot": "yes"})
    (flavor,) = of_kind(plan, "ResourceFlavor")

    assert [each["key"] for each in flavor["spec"]["nodeTaints"]] == [GPU]
    assert [each["key"] for each in flavor["spec"]["tolerations"]] == [GPU, "spot"]
