"""Kueue's objects and its configuration, key by key, as its API has them."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import yaml
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog import find
from rdma_cluster.incluster.addons.queues.args import QueuesArgs
from rdma_cluster.incluster.addons.queues.charts import jobset, kueue
from rdma_cluster.incluster.addons.queues.objects import queue_name
from rdma_cluster.incluster.addons.queues.plan import QueuesPlan, of_one_queue, plan_queues_on
from rdma_cluster.incluster.plan.context import context_of
from rdma_cluster.incluster.plan.pool import GpuPool, ProvisioningClass
from tests.incluster.pools import GIB, NAMED, NICS

ASKED = ProvisioningClass("queued.gke.io", "gke.io/request", "ResizeRequest")
ARGS = QueuesArgs(
    pools=[],
    pool_label="pool",
    taint={"key": "gpu", "value": "present"},
    other_taints={"spot": "*"},
    namespaces=["default", "team"],
    create_namespaces=True,
    preemption=True,
    priorities={"urgent": 7},
    ready_minutes=90,
    registries={"registry.k8s.io": "m.example"},
)
BLOCKED = replace(GIB, name="Big_Pool", levels=("block", "rack"))
LATER = replace(NAMED, name="later", scales_from_zero=True, provisioning=ASKED)


def manifest(text: str) -> dict[str, Any]:
    """An object of Kueue's."""
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", **yaml.safe_load(text)}


def on(given: Any, pools: Sequence[GpuPool], errors: ErrorList) -> QueuesPlan | None:
    """The plan of pools in the cluster that args of the component describe."""
    namespaces, new = given.get("namespaces", ["default"]), given.get("create_namespaces", False)
    return plan_queues_on(given, pools, context_of(given), namespaces, errors, new=new)


def planned(*pools: GpuPool, **args: Any) -> QueuesPlan:
    """The plan of these pools, handed over as a stack does."""
    given: Any = {**ARGS, **args}
    errors = ErrorList()
    made = on(given, pools, errors)
    assert made is not None, errors.found()
    return made


def test_the_objects_of_two_pools():
    """Each stage names the one before: places and requests, flavors and checks, queues, and the queues' names."""
    made = planned(BLOCKED, LATER)

    # With six digits of the SHA-256 of its levels or its spec: under another name each would be made anew.
    network, flavors = "network-10d1c5", ("big-pool-e9c3b2", "later-ca99d0")
    assert made.stages == (
        (
            manifest(f"""
                kind: Topology
                metadata: {{name: {network}}}
                spec:
                  levels: [{{nodeLabel: block}}, {{nodeLabel: rack}}, {{nodeLabel: kubernetes.io/hostname}}]
                """),
            manifest("""
                kind: ProvisioningRequestConfig
                metadata: {name: queued-gke-io}
                spec:
                  provisioningClassName: queued.gke.io
                  managedResources: [nvidia.com/gpu]
                  podSetUpdates:
                    nodeSelector:
                    - {key: gke.io/request, valueFromProvisioningClassDetail: ResizeRequest}
                """),
        ),
        (
            manifest(f"""
                kind: ResourceFlavor
                metadata: {{name: {flavors[0]}}}
                spec:
                  nodeLabels: {{pool: Big_Pool}}
                  nodeTaints: [{{key: gpu, value: present, effect: NoSchedule}}]
                  tolerations:
                  - {{key: gpu, operator: Equal, value: present, effect: NoSchedule}}
                  - {{key: spot, operator: Exists, effect: NoSchedule}}
                  topologyName: {network}
                """),
            manifest(f"""
                kind: ResourceFlavor
                metadata: {{name: {flavors[1]}}}
                spec:
                  nodeLabels: {{pool: later}}
                  nodeTaints: [{{key: gpu, value: present, effect: NoSchedule}}]
                  tolerations:
                  - {{key: gpu, operator: Equal, value: present, effect: NoSchedule}}
                  - {{key: spot, operator: Exists, effect: NoSchedule}}
                """),
            manifest("""
                kind: AdmissionCheck
                metadata: {name: queued-gke-io}
                spec:
                  controllerName: kueue.x-k8s.io/provisioning-request
                  parameters: {apiGroup: kueue.x-k8s.io, kind: ProvisioningRequestConfig, name: queued-gke-io}
                """),
        ),
        (
            manifest(f"""
                kind: ClusterQueue
                metadata: {{name: big-pool}}
                spec:
                  namespaceSelector: {NAMESPACES}
                  queueingStrategy: BestEffortFIFO
                  preemption: {{withinClusterQueue: LowerPriority}}
                  resourceGroups:
                  - coveredResources: [pods, nvidia.com/gpu, rdma-cluster/nic]
                    flavors:
                    - name: {flavors[0]}
                      resources:
                      - {{name: pods, nominalQuota: "220"}}
                      - {{name: nvidia.com/gpu, nominalQuota: "16"}}
                      - {{name: rdma-cluster/nic, nominalQuota: "16"}}
                """),
            manifest(f"""
                kind: ClusterQueue
                metadata: {{name: later}}
                spec:
                  namespaceSelector: {NAMESPACES}
                  queueingStrategy: BestEffortFIFO
                  preemption: {{withinClusterQueue: LowerPriority}}
                  resourceGroups:
                  - coveredResources: [pods, nvidia.com/gpu]
                    flavors:
                    - name: {flavors[1]}
                      resources: [{{name: pods, nominalQuota: "220"}}, {{name: nvidia.com/gpu, nominalQuota: "16"}}]
                  admissionChecksStrategy: {{admissionChecks: [{{name: queued-gke-io}}]}}
                """),
        ),
        tuple(
            manifest(f"""
                kind: LocalQueue
                metadata: {{name: {name}, namespace: {namespace}}}
                spec: {{clusterQueue: {name}}}
                """)
            for namespace in ("default", "team")
            for name in ("big-pool", "later")
        ),
    )
    assert made.queues == {"Big_Pool": "big-pool", "later": "later"}
    assert made.gpus == {"big-pool": 16, "later": 16}
    assert made.levels == {"Big_Pool": ("block", "rack", "kubernetes.io/hostname"), "later": ()}
    assert (made.new_namespaces, made.priorities, made.warnings) == (("team",), {"urgent": 7}, ())


NAMESPACES = "{matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [default, team]}]}"


def test_what_two_pools_share_is_there_once():
    """Topologies and requests; a pool that may have another topology has another one."""
    plain = replace(GIB, name="plain")
    made = planned(BLOCKED, plain, replace(BLOCKED, name="other"), LATER, replace(LATER, name="later-too"))
    first, second = ([(each["kind"], each["metadata"]["name"]) for each in stage] for stage in made.stages[:2])

    assert first == [
        ("Topology", "network-10d1c5"),
        ("Topology", "hosts"),
        ("ProvisioningRequestConfig", "queued-gke-io"),
    ]
    assert [kind for kind, _ in second] == ["ResourceFlavor"] * 5 + ["AdmissionCheck"]
    assert len({name for _, name in second}) == 6


def test_nothing_is_chosen():
    """Two priorities, no preemption, no taint, no namespace that is not there, half an hour until pods must run."""
    bare: Any = {"pools": [], "pool_label": "pool"}
    made = on(bare, [GIB], ErrorList())
    assert made is not None
    _, (flavour,), (queue,), (local,) = made.stages

    assert made.priorities == {"low": -100, "high": 100}
    assert flavour["spec"] == {"nodeLabels": {"pool": "gib"}, "topologyName": "hosts"}
    assert queue["spec"]["preemption"] == {"withinClusterQueue": "Never"}
    assert (local["metadata"], made.new_namespaces) == ({"name": "gib", "namespace": "default"}, ())
    assert json.loads(made.charts[1].values["managerConfig"]["controllerManagerConfigYaml"])["waitForPodsReady"] == {
        "timeout": "30m",
        "blockAdmission": False,
    }


def test_pools_whose_jobs_are_placed_or_not():
    """Of a node whose size is not known, and of one that is not there yet, Kueue cannot tell that it is full."""
    unknown = find("BM.GPU.H100T.8")
    assert unknown is not None
    sizeless = replace(GIB, name="sizeless", machine=unknown)
    made = planned(sizeless, replace(NAMED, scales_from_zero=True), GIB, NICS)

    assert made.levels == {
        "sizeless": (),
        "named": (),
        "gib": ("kubernetes.io/hostname",),
        "nics": ("kubernetes.io/hostname",),
    }
    assert [each.partition(" are counted")[0] for each in made.warnings] == ["queues: jobs of sizeless"]


def test_pools_that_can_have_no_queue():
    """Claims of pools that start with no node would wait for ever; the others have theirs."""
    never, plugged = replace(GIB, scales_from_zero=True), replace(NAMED, scales_from_zero=True)
    made = planned(never, plugged, NICS)
    errors = ErrorList()

    assert list(made.queues) == ["named", "nics"]
    assert [each.partition(":")[2].partition(":")[0] for each in made.warnings] == [" gib gets none"]
    assert on(ARGS, [never], errors) is None
    assert [each.path for each in errors.found()] == [("enabled",)]
    assert on(ARGS, [], ErrorList()) is None


def test_kueues_configuration():
    """Every key that differs from its chart's own, and those that the chart's objects rely on."""
    made = kueue([GIB], ["default", "team"], 90, None, {"registry.k8s.io": "m.example"})

    assert json.loads(made.values["managerConfig"]["controllerManagerConfigYaml"]) == yaml.safe_load(f"""
        apiVersion: config.kueue.x-k8s.io/v1beta2
        kind: Configuration
        health: {{healthProbeBindAddress: ":8081"}}
        metrics: {{bindAddress: ":8443"}}
        webhook: {{port: 9443}}
        leaderElection: {{leaderElect: true, resourceName: c1f6bfd2.kueue.x-k8s.io}}
        clientConnection: {{qps: 300, burst: 500}}
        waitForPodsReady: {{timeout: 90m, blockAdmission: false}}
        managedJobsNamespaceSelector: {NAMESPACES}
        integrations:
          frameworks:
          - batch/job
          - jobset.x-k8s.io/jobset
          - kubeflow.org/mpijob
          - trainer.kubeflow.org/trainjob
          - pod
          - leaderworkerset.x-k8s.io/leaderworkerset
        resources:
          excludeResourcePrefixes: [cpu, memory, ephemeral-storage, hugepages-]
          deviceClassMappings:
          - {{name: nvidia.com/gpu, deviceClassNames: [gpu.nvidia.com]}}
          - {{name: rdma-cluster/nic, deviceClassNames: [dranet]}}
        """)
    assert (made.namespace, made.timeout_seconds) == ("kueue-system", 600)
    assert made.values["controllerManager"]["manager"]["image"]["repository"] == "m.example/kueue/kueue"
    assert (jobset({}).namespace, jobset({}).timeout_seconds) == ("jobset-system", 600)
    assert jobset({}).values["image"]["repository"] == "registry.k8s.io/jobset/jobset"


@pytest.mark.parametrize(
    ("names", "clashes"),
    [
        (["a", "b"], []),
        (["A_b", "c", "a-b", "a_B"], [(2, "a-b and A_b"), (3, "a_B and A_b")]),
        # A pool that is listed twice is refused as that.
        (["a", "a"], []),
    ],
)
def test_pools_of_one_queue(names: list[str], clashes: list[tuple[int, str]]):
    """Names of queues know neither capitals nor underscores; each that comes later is told."""
    found = [(place, why.partition(" would")[0]) for place, why in of_one_queue(names)]

    assert found == clashes
    assert [queue_name(name) for name in ("A_b", "c.d")] == ["a-b", "c.d"]
