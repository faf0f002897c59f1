"""InfiniBand as AKS hands it out in other ways: by its managed DRANET, and by NVIDIA's Network Operator."""

from dataclasses import replace

from ..catalog import charts, images
from .dranet import DRANET
from .fabric import Fabric, GpuAllocation
from .infiniband import INFINIBAND
from .nic_attachment import ExtendedResource

# No DeviceClass of AKS's is published, its driver is dra.net: ours selects the devices.
INFINIBAND_MANAGED = replace(
    INFINIBAND,
    name="infiniband-managed",
    nic_attachment=replace(DRANET, driver="aks-managed", follows="1.0.1", chart=None, only_on="aks"),
)
"""AKS's managed DRANET hands out the NICs."""


def _plugged(resource: str, *, full_node: bool) -> Fabric:
    """By a device plugin of NVIDIA's Network Operator, which the plan of AKS installs."""
    name = resource.replace("/", "-").replace("_", "-")
    installed = (f"gpu-operator {charts.GPU_OPERATOR.version}", f"network-operator {charts.NETWORK_OPERATOR.version}")
    return replace(
        INFINIBAND,
        name=f"infiniband-{name}",
        nic_attachment=ExtendedResource(f"network-operator-{name}", resource, chart=None, full_node=full_node),
        acceptance=replace(INFINIBAND.acceptance, also=(*installed, images.DOCA_DRIVER.image)),
        default_allocation=GpuAllocation.DEVICE_PLUGIN,
        only_on="aks",
    )


RDMA_IB = _plugged("rdma/ib", full_node=False)
"""NICs for a pod alone: it asks for as many as it shall have."""
RDMA_SHARED_IB = _plugged("rdma/shared_ib", full_node=True)
"""All NICs of a node, shared by its pods: each asks for 1."""
RDMA_HCA_SHARED = _plugged("rdma/hca_shared_devices_a", full_node=True)
"""The NICs of ``RDMA_SHARED_IB``, under the name that NeMo, Dynamo and AICR ask for."""

FABRICS = (INFINIBAND_MANAGED, RDMA_IB, RDMA_SHARED_IB, RDMA_HCA_SHARED)
