"""OKE graphs beside those of the stacks, for the policies."""

from tests.oke.changes import WATCHED
from tests.oke.plans import BUILT

_OCID = "ocid1.{}.oc1..aaaaexample"
NETWORK = (
    f"network={{existing: {{vcn: {_OCID.format('vcn')}, apiSubnet: {_OCID.format('subnet')}, "
    f"workerSubnet: {_OCID.format('subnet')}, podSubnet: {_OCID.format('subnet')}, "
    f"loadBalancerSubnet: {_OCID.format('subnet')}, "
    "cidrs: [10.0.0.0/16], podSubnetCidr: 10.0.128.0/17, "
    f"workerGroups: [{_OCID.format('networksecuritygroup')}], podGroups: [{_OCID.format('networksecuritygroup')}]}}}}"
)
CLUSTER = f"kubernetes={{name: mine, version: 1.35.2, existing: {{id: {_OCID.format('cluster')}}}, endpoint: public}}"
_B200 = "pools[1]={name: b200, machine: BM.GPU.B200.8, nodes: 4, capacity: {onDemand: true}}"
_WAIVED = "acceptance={waive: [bandwidth]}"
_OFF = "acceptance={enabled: false}"
_ISLAND = "{hpcIsland: ocid1.hpcisland.oc1..a, networkBlocks: [ocid1.computenetworkblock.oc1..a]}"
_EVERY = [
    f"{{name: m{number}, machine: {machine.name}, nodes: 2, capacity: {{onDemand: true}}, "
    "image: {id: ocid1.image.oc1..a}}"
    for number, machine in enumerate(machine for machine in BUILT if machine.nvlink_domain <= machine.gpus)
]

VARIANTS: dict[str, tuple[str, ...]] = {
    "pull secret on oke": (
        "oke",
        "pullSecret={auths: {mirror.example: {username: robot, password: hunter2}}}",
        "queues={enabled: true}",
        *WATCHED,
    ),
    "tags of oke": ("oke", "tags={team: research, cost-center: '4711'}"),
    "monitoring": ("oke", *WATCHED),
    "injection": ("oke", "injection={enabled: true, engine: kyverno}"),
    "managed": ("oke", "pools[0].mode=managed"),
    "instances": ("oke", "pools[0].mode=instances"),
    "named instances": ("oke", "pools[0].mode=instances", "pools[0].hosts=[a, c]"),
    "two machines, two modes": ("oke", _B200, _WAIVED, "queues={enabled: true}"),
    "existing network": ("oke", NETWORK),
    "existing network and cluster": ("oke", NETWORK, CLUSTER),
    "adopted beside a pool": (
        "oke",
        NETWORK,
        CLUSTER,
        "adopt=[{name: old, machine: BM.GPU.H100.8, nodes: 2, nodePool: ocid1.nodepool.oc1..a, blueprints: true}]",
    ),
    "adopted of a cluster network": (
        "oke-adopt",
        "adopt=[{name: old, machine: BM.GPU.H100.8, nodes: 2, clusterNetwork: ocid1.clusternetwork.oc1..a}]",
    ),
    "adopted, with virtual functions": ("oke-adopt", "rdma.nicAttachment=sriov"),
    "reservation": ("oke", "pools[0].capacity={reservation: {id: ocid1.capacityreservation.oc1..a}}"),
    "island": ("oke", f"pools[0].placement={_ISLAND}"),
    "island of a compute cluster": ("oke-b200", f"pools[0].placement={_ISLAND}"),
    "host group": ("oke-b200", "pools[0].placement={hostGroup: ocid1.computehostgroup.oc1..a, spread: packed}"),
    "private endpoint": ("oke", "kubernetes={version: 1.35.2}"),
    "dual stack": ("oke", "kubernetes.dualStack=true"),
    "dual stack of single instances": (
        "oke",
        "kubernetes.dualStack=true",
        "pools[0].mode=instances",
        "network={statelessRules: true, publicLoadBalancers: true, ipv6Cidr: 'fd12:3456:789a::/56'}",
    ),
    "flannel": ("oke", "kubernetes.cni=flannel"),
    "stateless rules": ("oke", "network={statelessRules: true, publicLoadBalancers: true, hostPorts: [9100]}"),
    "virtual functions of the old name": ("oke-b200", "rdma.resource=nvidia.com/mlnxnics"),
    "claims": ("oke", "rdma.nicAttachment=dranet"),
    "claims for GPUs, too": ("oke", "rdma.nicAttachment=dranet", "pools[0].gpuAllocation=dra"),
    "existing drivers": ("oke", "rdma.nicAttachment=dranet", "pools[0].gpuAllocation=dra", "drivers={gpu: existing}"),
    "GPU operator": ("oke", "rdma.gpuPlugin=operator"),
    "image of one's own": ("oke", "pools[0].image={id: ocid1.image.oc1..a, driver: '580', cuda: '13.0'}"),
    "image by link": ("oke", "pools[0].image={url: 'https://objectstorage.x.oraclecloud.com/p/t/n/n/b/b/o/mine.oci'}"),
    "identity domain": ("oke", "identity={domain: {name: Default, url: 'https://idcs.example'}}"),
    "existing policies": ("oke", "identity={existing: true}"),
    "home region": ("oke", "identity={homeRegion: us-ashburn-1, dynamicGroup: ocid1.dynamicgroup.oc1..a}"),
    "many nodes": ("oke", "pools[0].nodes=400", "network={maxNodes: 400}"),
    "few nodes": ("oke", "network={maxNodes: 2, cidr: 172.16.0.0/21}"),
    "two namespaces": ("oke", "rdma.nicAttachment=dranet", "claims={namespaces: [default, team-a]}"),
    "405B on an image of 2025": ("oke-405b", "pools[0].image={release: ubuntu-24.04-570}"),
    "405B from Lustre": (
        "oke",
        "storage={lustre: {capacityGb: 41600}}",
        "inference={model: meta-llama/Llama-3.1-405B-Instruct, weights: {storage: true}}",
    ),
    "Lustre by others' policies": (
        "oke",
        "identity.existing=true",
        "kubernetes.dualStack=true",
        "network.statelessRules=true",
        "storage={lustre: {capacityGb: 166400, mbpsPerTb: 1000, deletable: true}}",
    ),
    "one node": ("oke", "pools[0].nodes=1", "pools[0].singleNode=true"),
    "every machine": ("oke", f"pools=[{', '.join(_EVERY)}]", _OFF),
}
