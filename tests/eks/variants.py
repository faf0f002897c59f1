"""EKS graphs beside those of the stacks, for the policies."""

from tests.eks.changes import WATCHED
from tests.eks.plans import BUILDABLE

NETWORK = (
    "network={existing: {dns: true, securityGroup: sg-0000000e, clusterSubnets: "
    "[{subnet: subnet-0000000a, zone: us-east-2a}, {subnet: subnet-0000000b, zone: us-east-2b}], "
    "gpuSubnets: [{subnet: subnet-0000000c, zone: us-east-2a}]}}"
)
CLUSTER = (
    "kubernetes={name: mine, existing: {endpoint: 'https://eks.example', caCertificate: eA==, "
    "securityGroup: sg-0000000f, nodeRole: 'arn:aws:iam::111122223333:role/nodes'}}"
)
_B200 = "pools[1]={name: b200, machine: p6-b200.48xlarge, nodes: 4, capacity: {spot: true}}"
_GB200 = "{name: gb, machine: p6e-gb200.36xlarge, nodes: 18, capacity: {capacityBlock: {id: cr-0123456789abcdef0}}}"
_EVERY = [
    f"{{name: m{number}, machine: {machine.name}, nodes: 2, capacity: {{onDemand: true}}}}"
    for number, machine in enumerate(machine for machine in BUILDABLE if machine.gdr)
]
_GROUP = "arn:aws:resource-groups:us-east-2:111122223333:group/gpus"
_GOVERNMENT = (
    "zone=us-gov-west-1a",
    "network.controlPlaneZones=[us-gov-west-1b]",
    "kubernetes.admins=['arn:aws-us-gov:iam::111122223333:role/admin']",
)
# No figure for two nodes of it is published.
_WAIVED = "acceptance={waive: [bandwidth]}"

VARIANTS: dict[str, tuple[str, ...]] = {
    "a capacity block that is repaired": (
        "eks",
        "pools[0].autoRepair=true",
        "readiness={enabled: true, onFault: repair}",
    ),
    "pull secret on eks": (
        "eks",
        "pullSecret={auths: {mirror.example: {username: robot, password: hunter2}}}",
        "queues={enabled: true}",
        *WATCHED,
    ),
    "jobs of a manager on eks": (
        "eks",
        "kubernetes.version='1.36'",
        "injection={enabled: true}",
        "queues={enabled: true, worker: {queues: {shared: p5}}}",
    ),
    "tags of eks": ("eks", "tags={team: research, cost-center: '4711'}"),
    "injection and queues": ("eks", "kubernetes.version='1.36'", "injection={enabled: true}", "queues={enabled: true}"),
    "monitoring": ("eks", *WATCHED),
    "nodes are held until they are proven": ("eks", "readiness.enabled=true"),
    "injection": ("eks", "kubernetes.version='1.36'", "injection={enabled: true}"),
    "405B on p5": ("eks", "inference.model=meta-llama/Llama-3.1-405B-Instruct"),
    "a bucket that is there": ("eks", "storage={objectStore: {bucket: weights-of-mine}}"),
    "405B from a bucket": (
        "eks",
        "storage={objectStore: {}}",
        "inference={model: meta-llama/Llama-3.1-405B-Instruct, weights: {storage: true}}",
    ),
    "405B from Lustre": (
        "eks",
        "storage={lustre: {capacityGib: 4800}}",
        "claims.namespaces=[default, team-a]",
        "inference={model: meta-llama/Llama-3.1-405B-Instruct, weights: {storage: true}}",
    ),
    "injection by device plugin": (
        "eks",
        "pools[0].gpuAllocation=device-plugin",
        _B200,
        _WAIVED,
        "injection={enabled: true, engine: kyverno}",
    ),
    "two machines": ("eks", _B200, _WAIVED),
    "existing network": ("eks", NETWORK),
    "existing network and cluster": ("eks", NETWORK, CLUSTER),
    "reservation": ("eks", "pools[0].capacity={reservation: {id: cr-0123456789abcdef0}}"),
    "group of reservations": ("eks", f"pools[0].capacity={{reservation: {{group: '{_GROUP}'}}}}"),
    "reservation in a placement group": ("eks-b200", "pools[0].placementGroup=side-by-side"),
    "spot": ("eks", "pools[0].capacity={spot: true}"),
    "on demand": ("eks", "pools[0].capacity={onDemand: true}"),
    "device plugin": ("eks", "pools[0].gpuAllocation=device-plugin"),
    "nodes of device plugins are held": ("eks", "pools[0].gpuAllocation=device-plugin", "readiness.enabled=true"),
    "device plugin beside claims": ("eks", "pools[0].gpuAllocation=device-plugin", _B200, _WAIVED),
    "existing drivers": ("eks", "drivers={gpu: existing, nic: existing}"),
    "private endpoint": ("eks", "kubernetes={admins: ['arn:aws:iam::111122223333:role/admin']}"),
    "many nodes": ("eks", "pools[0].nodes=300", "network.maxNodes=320"),
    "few nodes": ("eks", "network={maxNodes: 2, cidr: 172.16.0.0/19, controlPlaneZones: [us-east-2b]}"),
    "two namespaces": ("eks", "claims={namespaces: [default, team-a], groups: [3], whole: false}"),
    "government": ("eks", "aws:region=us-gov-west-1", *_GOVERNMENT),
    "GB200": ("eks", f"pools=[{_GB200}]", "acceptance={enabled: false}"),
    "every machine": ("eks", f"pools=[{', '.join(_EVERY)}]", "acceptance={enabled: false}"),
}
