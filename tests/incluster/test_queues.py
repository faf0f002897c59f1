"""What queues count, how they read the network, and in which order their objects come and go."""

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline import Graph
from pulumi_offline.errors import ErrorList
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog import machines
from rdma_cluster.catalog.charts import KUEUE
from rdma_cluster.catalog.machine import Machine
from rdma_cluster.fabrics import FABRICS, Claims, Fabric, GpuAllocation
from rdma_cluster.incluster.addons.queues.args import QueuesArgs
from rdma_cluster.incluster.addons.queues.charts import device_class_mappings
from rdma_cluster.incluster.addons.queues.objects import GPU, NIC, full_node_cpu, quotas_of
from rdma_cluster.incluster.addons.queues.plan import QueuesPlan, plan_queues, plan_queues_on
from rdma_cluster.incluster.plan.claim_templates import claims_for, plan_claim_templates
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.incluster.pools import BARE
from tests.stacks import graph_of

POOLS = [
    GpuPool("p", machine, 3, fabric, allocation)
    for machine in machines()
    for fabric in FABRICS.values()
    for allocation in GpuAllocation
    if machine.gpus and fabric.is_for(machine)
]
A4 = {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2}


def planned_with(**more: Any) -> QueuesPlan:
    """The queues of one pool."""
    return plan_from(QueuesArgs, plan_queues, {"pools": [A4], "pool_label": "pool", **more})


def objects(plan: QueuesPlan, kind: str) -> list[Any]:
    """All of a kind."""
    return [each for stage in plan.stages for each in stage if each["kind"] == kind]


def config(plan: QueuesPlan) -> dict[str, Any]:
    """What Kueue is told."""
    _, kueue = plan.charts
    return json.loads(kueue.values["managerConfig"]["controllerManagerConfigYaml"])


def test_quotas_are_all_that_the_pools_have():
    """Of every machine in every way: its GPUs under one name, and its NICs where a pod asks for them by number."""
    for pool in POOLS:
        quotas = quotas_of(pool)
        nics = {name: count for name, count in quotas.items() if name not in ("pods", GPU, "rdma-cluster/imex-channel")}

        assert quotas[GPU] == 3 * pool.machine.gpus
        assert len(nics) <= 1
        assert set(nics.values()) <= {3 * pool.machine.nics, 3}, (pool.machine.name, pool.fabric.name)
        assert (NIC in nics) == isinstance(pool.fabric.nic_attachment, Claims)


def test_every_claim_that_is_offered_can_queue():
    """Kueue 0.19.2 takes requests of an exact number alone, of classes that it was told of (its pkg/dra/claims.go)."""
    looked_at = 0
    for pool in POOLS:
        if not isinstance(pool.fabric.nic_attachment, Claims):
            continue
        known = {name for each in device_class_mappings([pool]) for name in each["deviceClassNames"]}
        offered = plan_claim_templates(claims_for([pool], {}, "1.35"), ErrorList())
        if offered is None:  # of AMD's GPUs, which no driver hands out by claims
            continue
        for template in offered.templates(pool.machine.name, pool.allocation):
            looked_at += 1
            for request in template.spec()["spec"]["devices"]["requests"]:
                assert request["exactly"]["allocationMode"] == "ExactCount", template.name
                assert request["exactly"]["deviceClassName"] in known, template.name
    assert looked_at > len(POOLS)


@pytest.mark.parametrize("machine", [each for each in machines() if each.vcpus], ids=lambda each: each.name)
def test_one_pod_of_a_whole_node_fits(machine: Machine):
    """Two of them have more CPUs than there are, and one leaves a third to what runs on every node."""
    cpus, asked = machine.vcpus or 0, int(full_node_cpu(machine, GpuAllocation.DRA))

    assert asked * 2 > cpus
    assert asked < cpus * 2 / 3
    assert full_node_cpu(machine, GpuAllocation.DEVICE_PLUGIN) == "", "GPUs are counted on the node itself"


def test_a_machine_of_unknown_size_gets_no_topology():
    """Its jobs are counted; two pods of one job on one node would be worse than no choice of nodes."""
    plan = planned_with(pools=[{**A4, "machine": "BM.GPU.H100T.8", "fabric": "roce"}])
    (flavor,) = objects(plan, "ResourceFlavor")

    assert objects(plan, "Topology") == []
    assert "topologyName" not in flavor["spec"]
    assert "it is not known how many CPUs BM.GPU.H100T.8 has" in plan.warnings[0]


def test_a_pool_without_nodes():
    """Its jobs by claims would wait for their devices and the devices for a pod; others are counted alone."""
    claimed, plugged = (next(p for p in POOLS if p.fabric.name == name) for name in ("gib", "tcpxo"))
    pools = [replace(pool, name=pool.fabric.name, scales_from_zero=True) for pool in (claimed, plugged)]
    plan = plan_queues_on({}, pools, BARE, ["default"], ErrorList(), new=False)
    assert plan is not None

    assert plan.queues == {"tcpxo": "tcpxo"}
    assert plan.levels == {"tcpxo": ()}
    assert plan.warnings[0].startswith("queues: gib gets none: its nodes come when a pod asks for them")


def test_a_pool_that_is_asked_for_as_a_whole():
    """Kueue asks GKE for all nodes of a job before its pods start; without the check they would wait for ever."""
    queued = ("gke-a3-mega", "skypilot=true", "pools[0].capacity={queued: true}", "queues={enabled: true}")
    graph, name = graph_of(*queued), "queued-provisioning-gke-io"

    kinds = ("ProvisioningRequestConfig", "AdmissionCheck", "ClusterQueue", "LocalQueue")
    asked, check, queue, local = (of_kind(graph, kind)[0] for kind in kinds)
    assert asked.inputs["spec"]["provisioningClassName"] == "queued-provisioning.gke.io"
    assert asked.inputs["metadata"]["name"] == check.inputs["metadata"]["name"] == name
    assert check.inputs["spec"]["parameters"]["name"] == name
    assert queue.inputs["spec"]["admissionChecksStrategy"] == {"admissionChecks": [{"name": name}]}
    assert asked.urn in check.dependencies and check.urn in queue.dependencies
    task = graph.outputs["skypilot"]["tasks"]["a3-mega"]["kubernetes"]
    assert task["kueue"] == {"local_queue_name": local.inputs["metadata"]["name"]}


def test_levels_end_with_the_host():
    """Kueue heeds taints and replaces failed nodes only where hosts are the lowest level."""
    labelled = planned_with(topology={"a4": ["x/block", "x/rack"]})
    (topology,) = objects(labelled, "Topology")
    (hosts,) = objects(planned_with(), "Topology")

    assert [each["nodeLabel"] for each in topology["spec"]["levels"]] == ["x/block", "x/rack", "kubernetes.io/hostname"]
    assert hosts["spec"]["levels"] == [{"nodeLabel": "kubernetes.io/hostname"}]


def test_what_cannot_change_has_another_name():
    """Topologies and flavors with one are immutable: other levels are other objects, and the queue names the new."""
    before, after = planned_with(), planned_with(topology={"a4": ["x/block"]})
    for kind in ("Topology", "ResourceFlavor"):
        (old,), (new,) = objects(before, kind), objects(after, kind)
        assert old["metadata"]["name"] != new["metadata"]["name"]
    (flavor,) = objects(after, "ResourceFlavor")
    (queue,) = objects(after, "ClusterQueue")

    assert queue["spec"]["resourceGroups"][0]["flavors"][0]["name"] == flavor["metadata"]["name"]
    assert objects(planned_with(preemption=True), "ResourceFlavor") == objects(before, "ResourceFlavor")


def test_a_queue_in_every_namespace():
    """Kueue's webhooks stand in the way of pods there, and nowhere else."""
    plan = planned_with(namespaces=["default", "team-a"], create_namespaces=True)
    own = {
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["default", "team-a"]}]
    }

    assert [each["metadata"]["namespace"] for each in objects(plan, "LocalQueue")] == ["default", "team-a"]
    assert plan.new_namespaces == ("team-a",)
    assert config(plan)["managedJobsNamespaceSelector"] == own
    assert objects(plan, "ClusterQueue")[0]["spec"]["namespaceSelector"] == own


def test_taints_are_the_flavor_s():
    """Kueue looks for room with what the flavor tolerates, before any webhook has seen a pod."""
    plan = planned_with(taint={"key": "nvidia.com/gpu", "value": "present"}, other_taints={"spot": "yes"})
    (flavor,) = objects(plan, "ResourceFlavor")

    assert [each["key"] for each in flavor["spec"]["nodeTaints"]] == ["nvidia.com/gpu"]
    assert [each["key"] for each in flavor["spec"]["tolerations"]] == ["nvidia.com/gpu", "spot"]


def test_two_kinds_of_nics_are_one_thing_to_count():
    """Pools of one cluster may have NICs of two classes; each queue has its own pool's."""
    gib, managed = (next(p for p in POOLS if p.fabric.name == name) for name in ("gib", "gib-managed"))
    mappings = {each["name"]: each["deviceClassNames"] for each in device_class_mappings([gib, managed])}

    assert mappings == {GPU: ["gpu.nvidia.com"], NIC: ["dranet", "mrdma.google.com"]}


def test_a_rack_counts_its_channels():
    """Every class that a pod of a rack may claim is known, or Kueue admits none of its jobs."""
    rack = next(pool for pool in POOLS if pool.machine.nvlink_domain > pool.machine.gpus)
    plan = plan_queues_on({}, [rack], BARE, ["default"], ErrorList(), new=False)
    assert plan is not None
    (queue,) = objects(plan, "ClusterQueue")

    assert "rdma-cluster/imex-channel" in queue["spec"]["resourceGroups"][0]["coveredResources"]
    assert "compute-domain-default-channel.nvidia.com" in json.dumps(config(plan)["resources"])


def test_images_and_charts_come_from_a_mirror():
    """With their tags, which the charts' own values would let float, and the chart by the catalogue's digest."""
    jobset, kueue = planned_with(registries={"registry.k8s.io": "mirror.example/k8s"}).charts

    digest = KUEUE.chart.partition("@")[2]
    assert digest and kueue.chart.chart == f"oci://mirror.example/k8s/kueue/charts/kueue@{digest}"
    assert kueue.values["controllerManager"]["manager"]["image"]["repository"] == "mirror.example/k8s/kueue/kueue"
    assert jobset.values["image"]["repository"] == "mirror.example/k8s/jobset/jobset"
    assert jobset.values["image"]["tag"].startswith("v")


def test_objects_leave_before_those_that_they_name():
    """Each kind waits for the one before, so that a destroy takes it away first; Kueue, which says when, goes last."""
    graph = graph_of("gke", "pools[1]={name: a3, machine: a3-ultragpu-8g, nodes: 4, capacity: {spot: true}}", *SETS)
    order = ("LocalQueue", "ClusterQueue", "ResourceFlavor", "Topology")
    for kind, named in itertools.pairwise(order):
        for each in of_kind(graph, kind):
            assert {one.urn for one in of_kind(graph, named)} <= set(each.dependencies), each.urn
    (kueue,) = [each for each in graph.of_type("kubernetes:helm.sh/v3:Release") if each.inputs["name"] == "kueue"]
    for each in of_kind(graph, "Topology"):
        assert kueue.urn in each.dependencies


SETS = ("queues={enabled: true, preemption: true}",)
"""With a second pool, the variant that the policies look at, so that no further graph is built."""


def of_kind(graph: Graph, kind: str) -> list[Any]:
    """Objects of a kind of Kueue's."""
    return [
        each for each in graph.resources if each.inputs.get("kind") == kind and "kueue" in each.inputs["apiVersion"]
    ]


def test_no_fabric_is_forgotten():
    """The pools above are all fabrics that there are."""
    assert {pool.fabric.name for pool in POOLS} == {each.name for each in FABRICS.values() if _used(each)}


def _used(fabric: Fabric) -> bool:
    return any(fabric.is_for(machine) and machine.gpus for machine in machines())
