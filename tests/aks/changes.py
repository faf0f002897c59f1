"""For each key of an AKS stack, another value of it."""

from rdma_cluster.aks.plan import AksRdmaClusterArgs
from rdma_cluster.catalog import images
from tests.aks.plans import RESERVATIONS
from tests.artifact_keys import MIRRORS_ONLY, digests_only
from tests.inference_keys import changes
from tests.queue_keys import queue_changes
from tests.readiness.keys import CHANGES as READINESS_CHANGES

STACK = "aks-dranet"
ARGS = AksRdmaClusterArgs
POOL = "azure-native:containerservice:AgentPool"
NODES = ("osSKU", "orchestratorVersion")
"""Inputs of a pool that AKS changes in place by making its nodes anew; each fixed one makes the pool anew."""

_VAULT = "/subscriptions/s/resourceGroups/r/providers/Microsoft.KeyVault/vaults/v"
_KEY = "https://my-vault.vault.azure.net/keys/aks/0123456789abcdef0123456789abcdef"
_REGISTRY = "/subscriptions/s/resourceGroups/r/providers/Microsoft.ContainerRegistry/registries/images"
_LUSTRE = "storage={lustre: {capacityTib: 96, mbpsPerTib: 40, maintenance: Friday 22:30, deletable: true}}"
_BLOBS = "storage={objectStore: {account: mine, container: weights, resourceGroup: theirs}}"
_OTHER_ID = "22222222-2222-2222-2222-222222222222"


WATCHED = ("monitoring={enabled: true, gpuExporter: installed, definitions: existing, labels: {release: prometheus}}",)
SAME_PROOF = ("storage.lustre.capacity_tib", "kubernetes.version", "pools.upgrade.max_unavailable")
"""Keys whose change leaves every node as it is."""

OTHER: dict[str, tuple[str, ...]] = {
    "subscription": (f"azure-native:subscriptionId={_OTHER_ID}",),
    "location": ("azure-native:location=southcentralus",),
    "zone": ("zone='2'", "pools[0].capacity.reservation.zone='2'"),
    "resource_group": ("resourceGroup=mine",),
    "pools": ("pools[1]={name: second, machine: Standard_ND96isr_H200_v5, nodes: 4, capacity: {onDemand: true}}",),
    "pools.name": ("pools[0].name=other",),
    "pools.machine": ("pools[0].machine=Standard_ND96isr_H100_v5",),
    "pools.nodes": ("pools[0].nodes=3",),
    "pools.node_version": ("pools[0].nodeVersion='1.35'",),
    "pools.capacity.reservation.group": (f"pools[0].capacity={{reservation: {{group: '{RESERVATIONS}'}}}}",),
    "pools.capacity.spot": ("pools[0].capacity={spot: true}",),
    "pools.gpu_allocation": ("pools[0].gpuAllocation=device-plugin",),
    "pools.labels": ("pools[0].labels={team: a}",),
    "pools.upgrade.max_unavailable": ("pools[0].upgrade={maxUnavailable: 2}",),
    "pools.os_disk": ("pools[0].osDisk=Ephemeral",),
    "pools.os_disk_gb": ("pools[0].osDiskGb=1024",),
    "pools.large_placement_group": ("pools[0].largePlacementGroup=true",),
    "infiniband_feature": ("infinibandFeature=taken-as-right",),
    "kubernetes.name": ("kubernetes.name=other",),
    "kubernetes.version": ("kubernetes.version='1.36'",),
    "kubernetes.endpoint": ("kubernetes={admins: [{id: 11111111-1111-1111-1111-111111111111}]}",),
    "kubernetes.protected": ("kubernetes.protected=true",),
    "kubernetes.public_cidrs": ("kubernetes.publicCidrs=[203.0.113.8/32]",),
    "kubernetes.admins": (f"kubernetes.admins[1]={{id: {_OTHER_ID}}}",),
    "kubernetes.admins.id": (f"kubernetes.admins[0].id={_OTHER_ID}",),
    "kubernetes.admins.type": ("kubernetes.admins[0].type=User",),
    "kubernetes.system_machine": ("kubernetes.systemMachine=Standard_D16s_v5",),
    "kubernetes.metrics": ("kubernetes.metrics=true",),
    "kubernetes.container_registries": (f"kubernetes.containerRegistries=['{_REGISTRY}']",),
    "kubernetes.node_os_upgrades": ("kubernetes.nodeOsUpgrades=SecurityPatch",),
    "network.cidr": ("network.cidr=10.32.0.0/16",),
    "network.max_nodes": ("network.maxNodes=600",),
    "network.outbound": ("network.outbound=load-balancer",),
    "network.pod_cidr": ("network.podCidr=10.32.0.0/14",),
    "network.service_cidr": ("network.serviceCidr=10.1.0.0/16",),
    "pools.capacity.on_demand": ("pools[0].capacity={onDemand: true}",),
    "kubernetes.login": ("kubernetes.login=workloadidentity",),
    "claims.pairs": ("claims.pairs=[2]",),
    "claims.gpus": ("claims.gpus=[2]",),
    "claims.whole": ("claims.whole=false",),
    "claims.nics": ("claims.nics=false",),
    "claims.namespaces": ("claims.namespaces=[default, team-a]",),
    "drivers.gpu": ("drivers.gpu=existing",),
    "drivers.nic": ("drivers.nic=existing",),
    "drivers.gpu_driver": ("drivers.gpuDriver=operator",),
    "drivers.rdma_driver": ("drivers.rdmaDriver=doca",),
    "drivers.rdma_resource": ("pools[0].gpuAllocation=device-plugin", "drivers.rdmaResource=rdma/shared_ib"),
    "drivers.memory_lock": ("drivers.memoryLock=node",),
    "drivers.sharp": ("drivers.sharp=true",),
    **queue_changes("h200"),
    **changes("h200", "pools[0].osDiskGb=1024"),
    "storage.object_store.account": (_BLOBS,),
    "storage.object_store.container": (_BLOBS,),
    "storage.object_store.resource_group": (_BLOBS,),
    "storage.object_store.deletable": ("storage={objectStore: {deletable: true}}",),
    "storage.lustre.capacity_tib": (_LUSTRE,),
    "storage.lustre.mbps_per_tib": (_LUSTRE,),
    "storage.lustre.maintenance": (_LUSTRE,),
    "storage.lustre.deletable": (_LUSTRE,),
    "skypilot": ("pools[0].gpuAllocation=device-plugin", "skypilot=true"),
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
    "registries": ("registries={registry.k8s.io: mirror.example/k8s, docker.io: mirror.example/hub}",),
    "kubernetes.secrets_key": (f"kubernetes.secretsKey='{_KEY}'", f"kubernetes.secretsVault={_VAULT}"),
    "kubernetes.secrets_vault": (f"kubernetes.secretsKey='{_KEY}'", f"kubernetes.secretsVault={_VAULT}"),
    "pull_secret": ("pullSecret={auths: {mirror.example: {auth: cm9ib3Q6aHVudGVyMg==}}}",),
    "tags": ("tags={team: research}",),
    "acceptance.enabled": ("acceptance.enabled=false",),
    **digests_only(images.MPI_OPERATOR.image, images.INFINIBAND_NCCL_TESTS.image),
    "acceptance.rerun": ("acceptance.rerun=again",),
    "acceptance.waive": ("acceptance.waive=[bandwidth, gdr]",),
    "acceptance.thresholds": ("acceptance.thresholds={Standard_ND96isr_H200_v5: ['all_reduce:1G=300']}",),
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
    "pools.capacity.reservation.zone": "is compared with the pool's, and goes nowhere",
    "claims.groups": "its machines pair GPUs and NICs one to one",
    "storage.existing": "names what is there, and makes nothing",
    "kubernetes.existing": "another stack, not a change of one",
    "network.existing": "another stack, not a change of one",
}
"""Keys that change nothing here, with the reason."""
