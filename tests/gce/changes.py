"""For each key of a stack of plain machines, another value of it."""

from rdma_cluster.gce.plan import GceRdmaClusterArgs
from tests.artifact_keys import MIRRORS_ONLY

STACK = "gce"
ARGS = GceRdmaClusterArgs
POOL = "gcp:compute/instance:Instance"
NODES = ()
"""Inputs of a machine that change in place by making it anew: none, all of these are replaced."""
SAME_PROOF = ()
"""Keys whose change leaves every node as it is: a version is of no such stack."""

OTHER: dict[str, tuple[str, ...]] = {
    "project": ("gcp:project=other-project",),
    "zone": ("zone=us-central1-b",),
    "pools": ("pools[1]={name: second, machine: a3-highgpu-8g, nodes: 2, capacity: {spot: true}}",),
    "pools.name": ("pools[0].name=other",),
    "pools.machine": ("pools[0].machine=a3-edgegpu-8g", "acceptance.thresholds={a3-edgegpu-8g: ['all_reduce:1G=20']}"),
    "pools.nodes": ("pools[0].nodes=3",),
    "pools.capacity.reservation.name": ("pools[0].capacity.reservation.name=other",),
    "pools.capacity.reservation.project": ("pools[0].capacity.reservation.project=other-project",),
    "pools.capacity.spot": ("pools[0].capacity={spot: true}",),
    "pools.capacity.flex_start": ("pools[0].capacity={flexStart: true}",),
    "pools.capacity.max_run_hours": ("pools[0].capacity={flexStart: true, maxRunHours: 10}",),
    "pools.capacity.on_demand": ("pools[0].capacity={onDemand: true}",),
    "network.cidr": ("network.cidr=10.64.0.0/16",),
    "network.max_nodes": ("network.maxNodes=400",),
    "network.iap_ssh": ("network.iapSsh=false",),
    "system.image": ("system.image=projects/cos-cloud/global/images/family/cos-121-lts",),
    "system.driver": ("system.driver=R580",),
    "acceptance.enabled": ("acceptance.enabled=false",),
    "acceptance.compare": ("acceptance.compare=true",),
    "acceptance.rerun": ("acceptance.rerun=again",),
    "acceptance.waive": ("acceptance.waive=[bandwidth]",),
    "acceptance.thresholds": ("acceptance.thresholds={a3-highgpu-8g: ['all_gather:1G=10']}",),
    "acceptance.images.test": ("acceptance.images.test=mirror.example/tests:1",),
    "acceptance.images.nccl_tests": ("acceptance.images.ncclTests=/opt/tests",),
    "acceptance.images.mpirun": ("acceptance.images.mpirun=/opt/mpirun",),
    "acceptance.images.python": ("acceptance.images.python=mirror.example/python:3",),
    "acceptance.also_run": ("acceptance.alsoRun=[alltoall]",),
    "registries": ("registries={us-docker.pkg.dev: mirror.example/google}",),
    "tags": ("tags={team: research}",),
}
UNCHANGED = {
    "artifacts.mirrors_only": MIRRORS_ONLY,
    "artifacts.digests_only": "refuses a plan or lets it be: the policy beside it is of clusters alone",
    "acceptance.taint_suspects": "refused: plain machines have no taints",
    "acceptance.on_busy": "refused: machines follow an order as soon as they read it",
    "acceptance.images.operator": "refused: plain machines run no operator",
    "network.existing": "another stack, not a change of one",
}
"""Keys that change nothing here, with the reason."""
