"""InfiniBand, which NCCL speaks by itself."""

from dataclasses import replace

from ..catalog.machine import Cloud, Transport
from .dranet import DRANET
from .fabric import Fabric, Fragment, NoPlugin

INFINIBAND = Fabric(
    name="infiniband",
    transport=Transport.INFINIBAND,
    exposure=DRANET,
    plugin=NoPlugin(),
    fragment=Fragment(),
    proof=None,
    rail_bound=True,
    pci_names=("Mellanox Technologies", "ConnectX"),
)
# No DeviceClass of AKS's is published, its driver is dra.net: ours selects the devices.
INFINIBAND_MANAGED = replace(
    INFINIBAND,
    name="infiniband-managed",
    exposure=replace(DRANET, driver="aks-managed", follows="1.0.1", chart=None, only_on=Cloud.AKS),
)
"""AKS's managed DRANET hands out the NICs."""

FABRICS = (INFINIBAND, INFINIBAND_MANAGED)
