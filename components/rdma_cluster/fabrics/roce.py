"""RoCE, which NCCL speaks by its InfiniBand transport."""

from ..catalog.machine import Transport
from .dranet import DRANET
from .fabric import Fabric, Fragment, NoPlugin

ROCE = Fabric(
    name="roce",
    transport=Transport.ROCE,
    exposure=DRANET,
    plugin=NoPlugin(),
    fragment=Fragment(),
    proof=None,
    rail_bound=True,
    pci_names=("Mellanox Technologies", "ConnectX"),
)

FABRICS = (ROCE,)
