"""For each key of a GKE stack, another value of it."""

from rdma_cluster.gke.plan import GkeRdmaClusterArgs
from tests.artifact_keys import MIRRORS_ONLY, digests_only
from tests.inference_keys import changes
from tests.queue_keys import SENT, SENT_TO_STACK
from tests.readiness.keys import CHANGES as READINESS_CHANGES

STACK = "gke"
ARGS = GkeRdmaClusterArgs
POOL = "gcp:container/nodePool:NodePool"
NODES = ("version", "nodeConfig.machineType", "nodeConfig.diskType", "nodeConfig.diskSizeGb", "nodeLocations")
"""Inputs of a pool that GKE changes in place by making its nodes anew; each fixed one makes the pool anew."""

_LUSTRE = "storage={lustre: {capacityGib: 36000, mbpsPerTib: 250, deletable: true}}"
WATCHED = ("monitoring={enabled: true, gpuExporter: installed, definitions: installed, labels: {release: prometheus}}",)
SAME_PROOF = ("kubernetes.version", "pools.upgrade.max_unavailable")
"""Keys whose change leaves every node as it is, and the proof of its fabric."""

_SENT = (f"queues={{enabled: true, dispatch: {{{SENT}}}}}",)

OTHER: dict[str, tuple[str, ...]] = {
    "project": ("gcp:project=other-project",),
    "zone": ("zone=us-west8-b",),
    "pools": ("pools[1]={name: second, machine: a4-highgpu-8g, nodes: 4, capacity: {spot: true}}",),
    "pools.name": ("pools[0].name=other",),
    "pools.machine": ("pools[0].machine=a3-ultragpu-8g",),
    "pools.nodes": ("pools[0].nodes=3",),
    "pools.node_version": ("pools[0].nodeVersion=1.35.2-gke.1842000",),
    "pools.capacity.reservation.name": ("pools[0].capacity.reservation.name=other",),
    "pools.capacity.reservation.project": ("pools[0].capacity.reservation.project=other-project",),
    "pools.capacity.reservation.block": ("pools[0].capacity.reservation.block=b",),
    "pools.capacity.reservation.sub_block": ("pools[0].capacity.reservation={name: r, block: b, subBlock: s}",),
    "pools.capacity.reservation.active": ("pools[0].capacity.reservation.active=false",),
    "pools.capacity.calendar.name": ("pools[0].capacity={calendar: {name: r}}",),
    "pools.capacity.calendar.project": ("pools[0].capacity={calendar: {name: r, project: other-project}}",),
    "pools.capacity.calendar.block": ("pools[0].capacity={calendar: {name: r, block: b}}",),
    "pools.capacity.calendar.sub_block": ("pools[0].capacity={calendar: {name: r, block: b, subBlock: s}}",),
    "pools.capacity.calendar.active": ("pools[0].capacity={calendar: {name: r, active: false}}",),
    "pools.capacity.queued": ("pools[0].capacity={queued: true}",),
    "pools.capacity.max_run_hours": ("pools[0].capacity={flexStart: true, maxRunHours: 24}",),
    "pools.min_nodes": ("pools[0].minNodes=1",),
    "pools.placement": ("pools[0].capacity={onDemand: true}", "pools[0].placement=none"),
    "pools.placement_policy": ("pools[0].placementPolicy=dense",),
    "pools.capacity.spot": ("pools[0].capacity={spot: true}",),
    "pools.capacity.flex_start": ("pools[0].capacity={flexStart: true}",),
    "pools.capacity.on_demand": ("pools[0].capacity={onDemand: true}",),
    "pools.gpu_allocation": ("pools[0].gpuAllocation=device-plugin",),
    "pools.auto_repair": ("pools[0].autoRepair=false",),
    "pools.labels": ("pools[0].labels={team: a}",),
    "pools.upgrade.max_unavailable": ("pools[0].upgrade={maxUnavailable: 2}",),
    "kubernetes.name": ("kubernetes.name=other",),
    "kubernetes.version": ("kubernetes.version='1.36'",),
    "kubernetes.location": ("kubernetes.location=zonal",),
    "kubernetes.release_channel": ("kubernetes.releaseChannel=STABLE",),
    "kubernetes.protected": ("kubernetes.protected=true",),
    "kubernetes.endpoint": ("kubernetes.endpoint=private",),
    "queues.enabled": ("queues={enabled: true}",),
    "queues.topology": ("queues={enabled: true, topology: {a4: [example.com/rack]}}",),
    "queues.priorities": ("queues={enabled: true, priorities: {urgent: 7}}",),
    "queues.preemption": ("queues={enabled: true, preemption: true}",),
    "queues.ready_minutes": ("queues={enabled: true, readyMinutes: 90}",),
    "queues.worker.queues": ("queues={enabled: true, worker: {queues: {shared: a4}}}",),
    "queues.worker.kinds": ("queues={enabled: true, worker: {queues: {shared: a4}, kinds: [job]}}",),
    "queues.dispatch.manager": _SENT,
    "queues.dispatch.clusters": _SENT,
    "queues.dispatch.clusters.name": _SENT,
    "queues.dispatch.clusters.dispatch": _SENT,
    "queues.dispatch.clusters.stack": (f"queues={{enabled: true, dispatch: {{{SENT_TO_STACK}}}}}",),
    "queues.dispatch.queues": _SENT,
    "queues.dispatch.kinds": (f"queues={{enabled: true, dispatch: {{{SENT}, kinds: [job]}}}}",),
    "queues.dispatch.lost_minutes": (f"queues={{enabled: true, dispatch: {{{SENT}, lostMinutes: 30}}}}",),
    **changes("a4"),
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
    "storage.object_store.bucket": ("storage={objectStore: {bucket: weights-of-mine}}",),
    "storage.object_store.deletable": (
        "storage={objectStore: {deletable: true}}",
        "claims.namespaces=[default, team-a]",
    ),
    "storage.lustre.capacity_gib": (_LUSTRE,),
    "storage.lustre.mbps_per_tib": (_LUSTRE,),
    "storage.lustre.deletable": (_LUSTRE,),
    "skypilot": ("skypilot=true",),
    "network.mode": ("network.mode=pod-networks",),
    "network.cidr": ("network.cidr=10.64.0.0/10",),
    "network.max_nodes": ("network.maxNodes=400",),
    "network.pod_cidr": ("network.podCidr=172.16.0.0/13",),
    "network.service_cidr": ("network.serviceCidr=172.16.0.0/16",),
    "claims.namespaces": ("claims.namespaces=[default, team-a]",),
    "claims.pairs": ("claims.pairs=[2]",),
    "claims.gpus": ("claims.gpus=[2]",),
    "claims.whole": ("claims.whole=false",),
    "claims.nics": ("claims.nics=false",),
    "drivers.gpu": ("drivers.gpu=existing",),
    "drivers.nic": ("drivers.nic=existing",),
    "drivers.kernel": ("drivers.kernel=existing",),
    "acceptance.enabled": ("acceptance.enabled=false",),
    "registries": ("registries={registry.k8s.io: mirror.example/k8s, docker.io: mirror.example/hub}",),
    "kubernetes.secrets_key": ("kubernetes.secretsKey=projects/p/locations/us-west8/keyRings/r/cryptoKeys/k",),
    "pull_secret": ("pullSecret={auths: {mirror.example: {auth: cm9ib3Q6aHVudGVyMg==}}}",),
    "tags": ("tags={team: research}",),
    **digests_only(),
    "acceptance.rerun": ("acceptance.rerun=again",),
    "acceptance.waive": ("acceptance.waive=[bandwidth]",),
    "acceptance.thresholds": ("acceptance.thresholds={a4-highgpu-8g: ['all_gather:1G=100']}",),
    "acceptance.also_run": ("acceptance.alsoRun=[alltoall]",),
    "acceptance.taint_suspects": ("acceptance.taintSuspects=true",),
    "acceptance.on_busy": ("acceptance.onBusy=fail",),
    "acceptance.images.test": ("acceptance.images.test=mirror.example/tests:1",),
    "acceptance.images.nccl_tests": ("acceptance.images.ncclTests=/opt/tests",),
    "acceptance.images.mpirun": ("acceptance.images.mpirun=/opt/mpirun",),
    "acceptance.images.python": ("acceptance.images.python=mirror.example/python:3",),
}
UNCHANGED = {
    "artifacts.mirrors_only": MIRRORS_ONLY,
    "look_ups": "asks, and makes nothing",
    "pools.capacity.calendar.zone": "is compared with the pool's, and goes nowhere",
    "pools.capacity.reservation.zone": "is compared with the pool's, and goes nowhere",
    "claims.groups": "its machines pair GPUs and NICs one to one",
    "acceptance.images.operator": "its test is an Indexed Job, without the MPI operator",
    "storage.existing": "names what is there, and makes nothing",
    "kubernetes.existing": "another stack, not a change of one",
    "network.existing": "another stack, not a change of one",
}
"""Keys that change nothing here, with the reason."""
