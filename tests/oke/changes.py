"""For each key of an OKE stack, another value of it."""

from rdma_cluster.catalog import images
from rdma_cluster.oke.plan import OkeRdmaClusterArgs
from tests.artifact_keys import MIRRORS_ONLY, digests_only
from tests.inference_keys import changes
from tests.queue_keys import queue_changes
from tests.readiness.keys import CHANGES as READINESS_CHANGES

STACK = "oke"
ARGS = OkeRdmaClusterArgs
POOL = "oci:Core/clusterNetwork:ClusterNetwork"
NODES = ()
"""Of a cluster network nothing that changes in place makes nodes anew: a new template is for new nodes."""

_OTHER_REGION = ("oci:region=us-ashburn-1", "zone=jLaG:US-ASHBURN-AD-1")
_ISLAND = "hpcIsland: ocid1.hpcisland.oc1..a"
_SRIOV = "rdma.nicAttachment=sriov"
_DRANET = "rdma.nicAttachment=dranet"
_DRA = "pools[0].gpuAllocation=dra"

WATCHED = ("monitoring={enabled: true, gpuExporter: installed, definitions: existing, labels: {release: prometheus}}",)
_LUSTRE = "storage={lustre: {capacityGb: 41600, mbpsPerTb: 250, deletable: true}}"
SAME_PROOF = ("kubernetes.version",)
"""Keys whose change leaves every node as it is, and the proof of its fabric."""

OTHER: dict[str, tuple[str, ...]] = {
    "region": _OTHER_REGION,
    "tenancy": ("oci:tenancyOcid=ocid1.tenancy.oc1..other",),
    "compartment": ("compartment=ocid1.compartment.oc1..other",),
    "zone": ("zone=TrcQ:EU-FRANKFURT-1-AD-2",),
    "pools": ("pools[1]={name: second, machine: BM.GPU.H100.8, nodes: 4, capacity: {onDemand: true}}",),
    "pools.name": ("pools[0].name=other",),
    "pools.machine": ("pools[0].machine=BM.GPU.H200.8", "acceptance.waive=[bandwidth]"),
    "pools.nodes": ("pools[0].nodes=3",),
    "pools.capacity.reservation.id": ("pools[0].capacity={reservation: {id: ocid1.capacityreservation.oc1..a}}",),
    "pools.mode": ("pools[0].mode=managed",),
    "pools.image.release": ("pools[0].image.release=ubuntu-22.04-570",),
    "pools.image.id": ("pools[0].image={id: ocid1.image.oc1..a}",),
    "pools.image.url": ("pools[0].image={url: 'https://objectstorage.x.oraclecloud.com/p/t/n/n/b/b/o/mine.oci'}",),
    "pools.gpu_allocation": (_DRA, _DRANET),
    "pools.labels": ("pools[0].labels={team: a}",),
    "pools.upgrade.max_unavailable": ("pools[0].mode=managed", "pools[0].upgrade={maxUnavailable: 2}"),
    "pools.placement.hpc_island": (f"pools[0].placement={{{_ISLAND}}}",),
    "pools.placement.network_blocks": (
        f"pools[0].placement={{{_ISLAND}, networkBlocks: [ocid1.computenetworkblock.oc1..a]}}",
    ),
    "pools.placement.host_group": ("pools[0].placement={hostGroup: ocid1.computehostgroup.oc1..a}",),
    "pools.boot_volume.gb": ("pools[0].bootVolume.gb=1024",),
    "pools.boot_volume.vpus_per_gb": ("pools[0].bootVolume.vpusPerGb=30",),
    "pools.max_pods": ("pools[0].maxPods=40",),
    "pools.kubelet_args": ("pools[0].kubeletArgs=['--v=3']",),
    "kubernetes.name": ("kubernetes.name=other",),
    "kubernetes.version": ("kubernetes.version=1.35.2",),
    "kubernetes.endpoint": ("kubernetes={endpoint: private}",),
    "kubernetes.public_cidrs": ("kubernetes.publicCidrs=[203.0.113.8/32]",),
    "kubernetes.cni": ("kubernetes.cni=flannel",),
    "kubernetes.dual_stack": ("kubernetes.dualStack=true",),
    "kubernetes.protected": ("kubernetes.protected=true",),
    "kubernetes.secrets_key": ("kubernetes.secretsKey=ocid1.key.oc1..a",),
    "network.cidr": ("network.cidr=10.8.0.0/16",),
    "network.service_cidr": ("network.serviceCidr=10.97.0.0/16",),
    "network.pod_cidr": ("kubernetes.cni=flannel", "network.podCidr=10.243.0.0/16"),
    "network.ipv6_cidr": ("kubernetes.dualStack=true", "network.ipv6Cidr='fd12:3456:789a::/56'"),
    "network.max_nodes": ("network.maxNodes=600", "network.maxPods=32"),
    "network.max_pods": ("network.maxPods=100",),
    "network.host_ports": ("network.hostPorts=[9100]",),
    "network.stateless_rules": ("network.statelessRules=true",),
    "network.public_load_balancers": ("network.publicLoadBalancers=true",),
    "identity.existing": ("identity.existing=true",),
    "identity.home_region": ("identity.homeRegion=us-ashburn-1",),
    "identity.domain.name": ("identity={domain: {name: Default, url: 'https://idcs.example'}}",),
    "identity.domain.url": ("identity={domain: {name: Default, url: 'https://other.example'}}",),
    "identity.dynamic_group": ("identity.dynamicGroup=ocid1.dynamicgroup.oc1..a",),
    "rdma.nic_attachment": (_SRIOV, "pools[0].machine=BM.GPU.H200.8", "acceptance.waive=[bandwidth]"),
    "rdma.resource": (
        _SRIOV,
        "rdma.resource=nvidia.com/mlnxnics",
        "pools[0].machine=BM.GPU.H200.8",
        "acceptance.waive=[bandwidth]",
    ),
    "rdma.gpu_plugin": ("rdma.gpuPlugin=operator",),
    "claims.namespaces": ("claims.namespaces=[default, team-a]",),
    "claims.pairs": (_DRANET, _DRA, "claims.pairs=[1]"),
    "claims.gpus": (_DRANET, _DRA, "claims.gpus=[1]"),
    "claims.groups": (_DRANET, _DRA, "claims.groups=[1]"),
    "claims.whole": (_DRANET, "claims.whole=false"),
    "claims.nics": (_DRANET, "claims.nics=false"),
    **queue_changes("h100"),
    **changes("h100"),
    "storage.lustre.capacity_gb": (_LUSTRE,),
    "storage.lustre.mbps_per_tb": (_LUSTRE,),
    "storage.lustre.deletable": (_LUSTRE,),
    "skypilot": ("skypilot=true",),
    "injection.enabled": ("injection.enabled=true",),
    "injection.engine": ("injection={enabled: true, engine: kyverno}",),
    "injection.beta": ("kubernetes.version=1.35.2", "injection={enabled: true, beta: true}"),
    "injection.annotation": ("injection={enabled: true, annotation: example.com/rdma}",),
    "injection.nemo": ("injection={enabled: true, nemo: true}",),
    "injection.every_pod": ("injection={enabled: true, everyPod: true}",),
    "injection.namespaces": ("claims.namespaces=[default, team-a]", "injection={enabled: true, namespaces: [team-a]}"),
    **READINESS_CHANGES,
    "monitoring.enabled": WATCHED,
    "monitoring.gpu_exporter": WATCHED,
    "monitoring.definitions": WATCHED,
    "monitoring.labels": WATCHED,
    "drivers.gpu": (_DRANET, _DRA, "drivers.gpu=existing"),
    "drivers.nic": (_DRANET, "drivers.nic=existing"),
    "acceptance.enabled": ("acceptance.enabled=false",),
    **digests_only(images.MPI_OPERATOR.image, images.OKE_NCCL_TESTS.image),
    "acceptance.rerun": ("acceptance.rerun=again",),
    "acceptance.waive": ("acceptance.waive=[bandwidth]",),
    "acceptance.thresholds": ("acceptance.thresholds={BM.GPU.H100.8: ['all_reduce:1G=300']}",),
    "acceptance.also_run": ("acceptance.alsoRun=[alltoall]",),
    "acceptance.taint_suspects": ("acceptance.taintSuspects=true",),
    "acceptance.on_busy": ("acceptance.onBusy=fail",),
    "acceptance.images.test": ("acceptance.images.test=mirror.example/tests:1",),
    "acceptance.images.nccl_tests": ("acceptance.images.ncclTests=/opt/tests",),
    "acceptance.images.mpirun": ("acceptance.images.mpirun=/opt/mpirun",),
    "acceptance.images.python": ("acceptance.images.python=mirror.example/python:3",),
    "acceptance.images.operator": ("acceptance.images.operator=mirror.example/operator:1",),
    "registries": ("registries={docker.io: mirror.example/docker}",),
    "pull_secret": ("pullSecret={auths: {mirror.example: {auth: cm9ib3Q6aHVudGVyMg==}}}",),
    "tags": ("tags={team: research}",),
    "ssh_public_key": ("sshPublicKey='ssh-ed25519 AAAA me'",),
}
UNCHANGED = {
    "artifacts.mirrors_only": MIRRORS_ONLY,
    "pools.capacity.reservation.zone": "is compared with the pool's, and goes nowhere",
    "pools.capacity.dedicated": "hosts of one's own are started as all others are",
    "pools.capacity.on_demand": "is what the stack has",
    "pools.image.driver": "is compared with what the shape needs, and goes nowhere",
    "pools.image.cuda": "chooses the test image, of an image of one's own",
    "pools.placement.spread": "of compute clusters alone",
    "pools.hosts": "of single instances alone",
    "pools.memory_fabrics": "of racks alone",
    "pools.memory_fabrics.id": "of racks alone",
    "pools.memory_fabrics.nodes": "of racks alone",
    "pools.single_node": "lets one node pass",
    "drivers.kernel": "the node image brings the driver",
    "storage.object_store.bucket": "is refused",
    "storage.object_store.deletable": "is refused",
    "storage.existing": "names what is there, and makes nothing",
    "kubernetes.existing": "another stack, not a change of one",
    "network.existing": "another stack, not a change of one",
    **{
        f"adopt.{key}".rstrip("."): "of existing clusters alone"
        for key in (
            "",
            "name",
            "machine",
            "nodes",
            "names",
            "node_pool",
            "cluster_network",
            "label",
            "cuda",
            "labels",
            "blueprints",
        )
    },
}
"""Keys that change nothing here, with the reason."""
