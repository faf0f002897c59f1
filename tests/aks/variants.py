"""AKS graphs beside those of the stacks, for the policies."""

from tests.aks.plans import BUILDABLE, RESERVATIONS, SUBNET

NETWORK = f"network={{existing: {{subnet: '{SUBNET}', cidrs: [10.224.0.0/12], outbound: load-balancer}}}}"
CLUSTER = "kubernetes={name: mine, existing: {server: 'https://mine.hcp.example:443', caCertificate: eA==}}"
_FIREWALL = NETWORK.replace("load-balancer", "routes, egressCidrs: [198.51.100.4/30]")
_SECOND = "pools[1]={name: more, machine: Standard_ND96isr_H100_v5, nodes: 4, capacity: {onDemand: true}}"
# A subscription has InfiniBand's support registered for the one kind and not for the other.
_EVERY, _RACKS = (
    [
        f"{{name: m{number}, machine: {machine.name}, nodes: 2, capacity: {{onDemand: true}}, gpuAllocation: dra}}"
        for number, machine in enumerate(BUILDABLE)
        if machine.is_rack is racks
    ]
    for racks in (False, True)
)
_OFF = "acceptance={enabled: false}"
_CLAIMS = "pools[0].gpuAllocation=dra"
_REGISTRY = "/subscriptions/s/resourceGroups/r/providers/Microsoft.ContainerRegistry/registries/images"

_VAULT = "/subscriptions/s/resourceGroups/r/providers/Microsoft.KeyVault/vaults/v"
_KEY = "https://my-vault.vault.azure.net/keys/aks/0123456789abcdef0123456789abcdef"

VARIANTS: dict[str, tuple[str, ...]] = {
    "secrets by a key of one's own on AKS": (
        "aks",
        f"kubernetes.secretsKey='{_KEY}'",
        f"kubernetes.secretsVault={_VAULT}",
    ),
    "pull secret on aks": (
        "aks",
        "pullSecret={auths: {mirror.example: {username: robot, password: hunter2}}}",
        "queues={enabled: true}",
        "monitoring={enabled: true}",
    ),
    "tags of aks": ("aks", "tags={team: research, cost-center: '4711'}"),
    "405B on H100": (
        "aks",
        "pools[0].osDiskGb=1024",
        "inference={model: meta-llama/Llama-3.1-405B-Instruct, controller: existing}",
    ),
    "a container of blobs": (
        "aks",
        "storage={objectStore: {}}",
        "claims.namespaces=[default, team-a]",
        "inference={model: meta-llama/Llama-3.1-405B-Instruct, weights: {storage: true}}",
    ),
    "405B from Lustre": (
        "aks",
        "storage={lustre: {capacityTib: 8}}",
        "inference={model: meta-llama/Llama-3.1-405B-Instruct, weights: {storage: true}}",
    ),
    "monitoring": ("aks", "monitoring={enabled: true, gpuExporter: managed}"),
    "injection": ("aks", "injection={enabled: true, engine: kyverno}"),
    "two fabrics": ("aks", f"{_SECOND}", "pools[1].gpuAllocation=device-plugin", "queues={enabled: true}"),
    "existing network": ("aks", NETWORK),
    "existing network behind a firewall": ("aks", _FIREWALL),
    "existing network and cluster": ("aks", NETWORK, CLUSTER),
    "existing resource group": ("aks", "resourceGroup=mine"),
    "reservation": ("aks", f"pools[0].capacity={{reservation: {{group: '{RESERVATIONS}'}}}}"),
    "spot": ("aks", "pools[0].capacity={spot: true}"),
    "spot by claims": ("aks", "pools[0].capacity={spot: true}", _CLAIMS),
    "claims": ("aks", _CLAIMS),
    "claims and NVIDIA's InfiniBand driver": ("aks", _CLAIMS, "drivers={rdmaDriver: doca}"),
    "AKS's driver and device plugins": ("aks", "drivers={gpuDriver: aks}"),
    "the kernel's InfiniBand driver and device plugins": ("aks", "drivers={rdmaDriver: inbox}"),
    "shared NICs": ("aks", "drivers={rdmaResource: rdma/shared_ib}"),
    "shared NICs as others call them": ("aks", "drivers={rdmaResource: rdma/hca_shared_devices_a}"),
    "memory locked by the node": ("aks", "drivers={memoryLock: node, sharp: true}"),
    "existing drivers": ("aks-dranet", "drivers={gpuDriver: aks, gpu: existing, nic: existing}"),
    "private endpoint": ("aks", "kubernetes={admins: [{id: 11111111-1111-1111-1111-111111111111, type: User}]}"),
    "metrics and a registry": ("aks", "kubernetes.metrics=true", f"kubernetes.containerRegistries=['{_REGISTRY}']"),
    "load balancer": ("aks", "network={outbound: load-balancer}"),
    "many nodes": ("aks", "pools[0].nodes=300", "pools[0].largePlacementGroup=true", "network.maxNodes=320"),
    "few nodes": ("aks", "network={maxNodes: 2, cidr: 192.168.0.0/26, podCidr: 10.32.0.0/20}"),
    "two namespaces": ("aks-dranet", "claims={namespaces: [default, team-a], pairs: [1], whole: false}"),
    "every machine": ("aks", f"pools=[{', '.join(_EVERY)}]", _OFF),
    "every machine in a rack": ("aks", f"pools=[{', '.join(_RACKS)}]", _OFF),
}
