"""For each key of an EKS stack, another value of it."""

from rdma_cluster.catalog import images
from rdma_cluster.catalog.charts import AWS_DRANET
from rdma_cluster.eks.plan import EksRdmaClusterArgs
from tests.artifact_keys import MIRRORS_ONLY, digests_only
from tests.inference_keys import changes
from tests.queue_keys import queue_changes
from tests.readiness.keys import CHANGES as READINESS_CHANGES

STACK = "eks"
ARGS = EksRdmaClusterArgs
POOL = "aws:eks/nodeGroup:NodeGroup"
NODES = ("launchTemplate.version", "releaseVersion")
"""Inputs of a pool that EKS changes in place by making its nodes anew; each fixed one makes the pool anew."""

_OTHER_REGION = ("aws:region=us-west-2", "zone=us-west-2a", "network.controlPlaneZones=[us-west-2b]")

_LUSTRE = "storage={lustre: {capacityGib: 4800, mbpsPerTib: 500, deletable: true}}"
WATCHED = ("monitoring={enabled: true, gpuExporter: installed, definitions: installed, labels: {release: prometheus}}",)
SAME_PROOF = ("kubernetes.version",)
"""Keys whose change leaves every node as it is, and the proof of its fabric."""

OTHER: dict[str, tuple[str, ...]] = {
    "region": _OTHER_REGION,
    "zone": ("zone=us-east-2c",),
    "pools": ("pools[1]={name: second, machine: p5.48xlarge, nodes: 4, capacity: {spot: true}}",),
    "pools.name": ("pools[0].name=other",),
    "pools.machine": ("pools[0].machine=p5e.48xlarge", "acceptance.waive=[bandwidth]"),
    "pools.nodes": ("pools[0].nodes=3",),
    "pools.capacity.reservation.id": ("pools[0].capacity={reservation: {id: cr-0123456789abcdef1}}",),
    "pools.capacity.reservation.group": (
        "pools[0].capacity={reservation: {group: 'arn:aws:resource-groups:us-east-2:111122223333:group/gpus'}}",
    ),
    "pools.capacity.capacity_block.id": ("pools[0].capacity.capacityBlock.id=cr-0123456789abcdef1",),
    "pools.capacity.spot": ("pools[0].capacity={spot: true}",),
    "pools.capacity.on_demand": ("pools[0].capacity={onDemand: true}",),
    "pools.gpu_allocation": ("pools[0].gpuAllocation=device-plugin",),
    "pools.auto_repair": ("pools[0].autoRepair=true",),
    "pools.labels": ("pools[0].labels={team: a}",),
    "pools.upgrade.max_unavailable": ("pools[0].capacity={onDemand: true}", "pools[0].upgrade={maxUnavailable: 2}"),
    "pools.placement": ("pools[0].placement=none", "pools[0].capacity={onDemand: true}"),
    "pools.placement_group": ("pools[0].placementGroup=side-by-side", "pools[0].capacity={onDemand: true}"),
    "pools.release_version": ("pools[0].releaseVersion=1.35.1-20261001",),
    "pools.max_pods": ("pools[0].maxPods=30",),
    "kubernetes.name": ("kubernetes.name=other",),
    "kubernetes.version": ("kubernetes.version='1.36'",),
    "kubernetes.admins": ("kubernetes.admins=['arn:aws:iam::111122223333:role/other']",),
    "kubernetes.endpoint": ("kubernetes={endpoint: private, admins: ['arn:aws:iam::111122223333:role/admin']}",),
    "kubernetes.public_cidrs": ("kubernetes.publicCidrs=[203.0.113.8/32]",),
    "kubernetes.addon_versions": ("kubernetes.addonVersions={coredns: v1.12.1-eksbuild.2}",),
    "kubernetes.protected": ("kubernetes.protected=true",),
    "kubernetes.secrets_key": ("kubernetes.secretsKey='arn:aws:kms:us-east-2:111122223333:key/k'",),
    "network.cidr": ("network.cidr=10.8.0.0/16",),
    "network.max_nodes": ("network.maxNodes=600",),
    "network.service_cidr": ("network.serviceCidr=172.30.0.0/16",),
    "network.control_plane_zones": ("network.controlPlaneZones=[us-east-2b, us-east-2c]",),
    "claims.namespaces": ("claims.namespaces=[default, team-a]",),
    "claims.groups": ("claims.groups=[3]",),
    "claims.gpus": ("claims.gpus=[2]",),
    "claims.whole": ("claims.whole=false",),
    "claims.nics": ("claims.nics=false",),
    **queue_changes("p5"),
    **changes("p5"),
    "storage.object_store.bucket": ("storage={objectStore: {bucket: weights-of-mine}}",),
    "storage.object_store.deletable": ("storage={objectStore: {deletable: true}}",),
    "storage.lustre.capacity_gib": (_LUSTRE,),
    "storage.lustre.mbps_per_tib": (_LUSTRE,),
    "storage.lustre.deletable": (_LUSTRE,),
    "skypilot": ("skypilot=true",),
    "injection.enabled": ("injection={enabled: true, engine: kyverno}",),
    "injection.engine": ("kubernetes.version='1.36'", "injection={enabled: true, engine: native}"),
    "injection.beta": ("injection={enabled: true, beta: true}",),
    "injection.annotation": ("injection={enabled: true, engine: kyverno, annotation: team/fabric}",),
    "injection.nemo": ("injection={enabled: true, engine: kyverno, nemo: true}",),
    "injection.every_pod": ("injection={enabled: true, engine: kyverno, everyPod: true}",),
    "injection.namespaces": ("injection={enabled: true, engine: kyverno, namespaces: [default]}",),
    **READINESS_CHANGES,
    "monitoring.enabled": WATCHED,
    "monitoring.gpu_exporter": WATCHED,
    "monitoring.definitions": WATCHED,
    "monitoring.labels": WATCHED,
    "drivers.gpu": ("drivers.gpu=existing",),
    "drivers.nic": ("drivers.nic=existing",),
    "drivers.registry": ("drivers.registry=mirror.example",),
    "acceptance.enabled": ("acceptance.enabled=false",),
    "registries": ("registries={registry.k8s.io: mirror.example/k8s, docker.io: mirror.example/hub}",),
    "pull_secret": ("pullSecret={auths: {mirror.example: {auth: cm9ib3Q6aHVudGVyMg==}}}",),
    "tags": ("tags={team: research}",),
    **digests_only(
        images.MPI_OPERATOR.image,
        images.AWS_DRANET.image.replace("us-west-2", "us-east-2"),
        f"m.example/charts/{AWS_DRANET.name}:{AWS_DRANET.version}",
        mirrors={AWS_DRANET.repo.removeprefix("https://"): "oci://m.example/charts"},
    ),
    "acceptance.rerun": ("acceptance.rerun=again",),
    "acceptance.waive": ("acceptance.waive=[bandwidth]",),
    "acceptance.thresholds": ("acceptance.thresholds={p5.48xlarge: ['all_reduce:1G=100']}",),
    "acceptance.also_run": ("acceptance.alsoRun=[alltoall]",),
    "acceptance.taint_suspects": ("acceptance.taintSuspects=true",),
    "acceptance.on_busy": ("acceptance.onBusy=fail",),
    "acceptance.images.test": ("acceptance.images.test=mirror.example/tests:1",),
    "acceptance.images.nccl_tests": ("acceptance.images.ncclTests=/opt/tests",),
    "acceptance.images.mpirun": ("acceptance.images.mpirun=/opt/mpirun",),
    "acceptance.images.python": ("acceptance.images.python=mirror.example/python:3",),
    "acceptance.images.operator": ("acceptance.images.operator=mirror.example/operator:1",),
}
UNCHANGED = {
    "artifacts.mirrors_only": MIRRORS_ONLY,
    "pools.ami_type": "one image fits a machine",
    "pools.capacity.reservation.zone": "is compared with the pool's, and goes nowhere",
    "pools.capacity.capacity_block.zone": "is compared with the pool's, and goes nowhere",
    "claims.pairs": "a pair of P5 would leave NICs of its root to nobody: groups instead",
    "drivers.kernel": "the node image brings the driver",
    "storage.existing": "names what is there, and makes nothing",
    "kubernetes.existing": "another stack, not a change of one",
    "network.existing": "another stack, not a change of one",
}
"""Keys that change nothing here, with the reason."""
