"""Values of a user's own on AKS."""

STACK = "aks"
_GROUP = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups"
SET = (
    "azure-native:location=eastus",
    "zone='2'",
    "kubernetes.name=carried-cluster",
    "kubernetes.admins=[{id: 77777777-0000-0000-0000-000000000000}]",
    "kubernetes.publicCidrs=[198.51.100.77/32]",
    "kubernetes.systemMachine=Standard_D48s_v5",
    f"kubernetes.containerRegistries=[{_GROUP}/g/providers/Microsoft.ContainerRegistry/registries/carriedimages]",
    "kubernetes.secretsKey=https://carried-vault.vault.azure.net/keys/carried-key/0123456789abcdef0123456789abcdef",
    f"kubernetes.secretsVault={_GROUP}/g/providers/Microsoft.KeyVault/vaults/carried-vault",
    "network={cidr: 10.77.0.0/16, podCidr: 10.128.0.0/14, serviceCidr: 172.29.0.0/16}",
    "pools[0].labels={carried.example/label: carried-label}",
    "pools[0].osDiskGb=1777",
    f"pools[0].capacity={{reservation: {{group: '{_GROUP}/r/providers/Microsoft.Compute/capacityReservationGroups/"
    "carried-group', zone: '2'}}",
    "drivers={rdmaResource: rdma/hca_shared_devices_a}",
    "tags={carried-tag: carried-tagged}",
    "acceptance={images: {test: 'carried.example/tests:1'}}",
)
REACHES = (
    "eastus",
    "carried-cluster",
    "77777777-0000-0000-0000-000000000000",
    "198.51.100.77/32",
    "Standard_D48s_v5",
    "registries/carriedimages",
    "keys/carried-key",
    "vaults/carried-vault",
    "10.77.0.0/16",
    "10.128.0.0/14",
    "172.29.0.0/16",
    "carried.example/label",
    "carried-label",
    "1777",
    "carried-group",
    "rdma/hca_shared_devices_a",
    "carried-tag",
    "carried-tagged",
    "carried.example/tests:1",
)
