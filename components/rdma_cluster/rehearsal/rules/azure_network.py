"""Azure's networks."""

from ...catalog.machine import Source
from .forms import apart, block, holds, inside
from .record import Rule
from .there import Made

_NETWORK = "azure-native:network:VirtualNetwork"
_SUBNET = "azure-native:network:Subnet"
_IN = {"virtualNetworkName": "gpu"}

RULES: dict[str, tuple[Rule, ...]] = {
    _NETWORK: (
        Rule(
            "A list of address blocks reserved for this virtual network in CIDR notation",
            Source("azure-mgmt-network AddressSpace.addressPrefixes", "2026-11"),
            block("addressSpace.addressPrefixes", 2, 64),
            {"addressSpace": {"addressPrefixes": ["10.0.0.0/8"]}},
            {"addressSpace": {"addressPrefixes": ["10.0.0.1/8"]}},
        ),
    ),
    _SUBNET: (
        Rule(
            "NetcfgInvalidSubnet: Subnet 'NAME' is not valid in virtual network 'NETWORK'",
            Source("github.com/Azure/azure-cli/issues/10917; azure-powershell NetworkTests", "2019-10-19"),
            inside("addressPrefix", _NETWORK, "virtualNetworkName", "addressSpace.addressPrefixes"),
            {"addressPrefix": "10.1.0.0/16", **_IN},
            {"addressPrefix": "172.16.0.0/16", **_IN},
            (Made(_NETWORK, {"addressSpace": {"addressPrefixes": ["10.0.0.0/8"]}}, frozenset({"gpu"})),),
        ),
        Rule(
            "NetcfgSubnetRangesOverlap: Subnet 'NAME' is not valid because its IP address range overlaps with that of "
            "an existing subnet",
            Source("github.com/Azure/azure-cli/issues/10917", "2019-10-19"),
            apart(_SUBNET, "addressPrefix", "virtualNetworkName"),
            {"addressPrefix": "10.1.0.0/16", **_IN},
            {"addressPrefix": "10.0.128.0/17", **_IN},
            (Made(_SUBNET, {"addressPrefix": "10.0.0.0/16", **_IN}),),
        ),
    ),
    "azure-native:network:PublicIPAddress": (
        Rule(
            "Standard sku publicIp ID must have AllocationMethod set to Static",
            Source("the network API's answer StandardAndStandardV2SkuPublicIPAddressesMustBeStatic", "2026-08"),
            holds(
                "publicIPAllocationMethod",
                lambda address: (
                    not str(address.get("sku", {}).get("name", "")).startswith("Standard")
                    or address.get("publicIPAllocationMethod") == "Static"
                ),
            ),
            {"sku": {"name": "Standard"}, "publicIPAllocationMethod": "Static"},
            {"sku": {"name": "Standard"}, "publicIPAllocationMethod": "Dynamic"},
        ),
    ),
}
