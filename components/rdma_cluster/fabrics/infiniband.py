"""InfiniBand, which NCCL speaks by itself. Azure is the cloud that has it."""

from dataclasses import replace
from typing import Any

from ..catalog import charts, images
from ..catalog.aks_releases import INFINIBAND_TESTS
from ..catalog.machine import Cloud, Machine, Transport
from ..frozen import frozen
from .acceptance import FabricAcceptance, Launcher, verbs
from .dranet import DRANET
from .fabric import Fabric, GpuAllocation
from .nic_attachment import ExtendedResource, Install
from .plugin import NoPlugin
from .pod_patch import ConfigFile, PodPatch

_TOPOLOGY = "/etc/nccl-topology"
# Which placement group a node is in: nodes of two groups do not reach each other, and nothing else shows the group.
# api-version: github.com/kubernetes-sigs/dranet@f258477 pkg/cloudprovider/azure/azure.go
_PLACEMENT_GROUP = (
    "curl --silent --fail --max-time 10 --noproxy '*' --header Metadata:true "
    "'http://169.254.169.254/metadata/instance/compute/placementGroupId?api-version=2025-11-11&format=text'"
)
_SHARP = {
    "NCCL_COLLNET_ENABLE": "1",
    "SHARP_COLL_ENABLE_SAT": "1",
    "SHARP_SMX_UCX_INTERFACE": "mlx5_0:1",
    "SHARP_COLL_ENABLE_PCI_RELAXED_ORDERING": "1",
    "SHARP_COLL_LOG_LEVEL": "3",
}
"""Reductions in the switches; a workload's image must hold nccl-rdma-sharp-plugins.

The device has the name that AKS's nodes give it: Microsoft's test of NCCL on AKS had ``mlx5_ib0``, as images of Slurm
name it, until a fix for SHARP (github.com/Azure/ai-infrastructure-on-azure@103bb90, 2025-07-22); its health check and
its torset labeler on AKS say ``mlx5_0``, too (@a01b073). Two of its training charts still have the other, 2026-04-22.
"""


def _values(install: Install) -> dict[str, Any]:
    """DraNet's usual values, but InfiniBand's network interfaces stay where they are: pods take the device alone."""
    assert DRANET.chart is not None
    values = DRANET.chart.values(install)
    return {**values, "args": {**values["args"], "moveIBInterfaces": False}}


_ADDS = PodPatch(shared_memory="64Gi", capabilities=("IPC_LOCK",))


@frozen
class Tuning:
    """What a pod adds on a size. Nothing on an AKS node provides NCCL's part, and without it a third is reached."""

    sharp: bool = False
    """Whether switches are asked to reduce."""
    locks_memory: bool = True
    """Whether a container asks to lock its memory; off where the nodes let every container do it."""

    def __call__(self, machine: Machine) -> PodPatch:
        from ..catalog.aks import AksMachine  # no other cloud's sizes have InfiniBand here

        assert isinstance(machine, AksMachine)
        env = {**machine.nccl, **(_SHARP if self.sharp and machine.topology else {})}
        files: tuple[ConfigFile, ...] = ()
        if (topology := machine.topology) is not None:
            from .nccl_topology import topology_xml

            name = f"{topology.name}.xml"
            files = (ConfigFile(f"nccl-topology-{topology.name}", name, _TOPOLOGY, topology_xml(machine)),)
            env["NCCL_TOPO_FILE"] = f"{_TOPOLOGY}/{name}"
        return replace(_ADDS, env=env, files=files, capabilities=_ADDS.capabilities if self.locks_memory else ())


assert DRANET.chart is not None
INFINIBAND = Fabric(
    name="infiniband",
    transport=Transport.INFINIBAND,
    nic_attachment=replace(
        DRANET, driver="dranet-infiniband", chart=replace(DRANET.chart, values=_values), only_for=Transport.INFINIBAND
    ),
    plugin=NoPlugin(),
    pod_patch=_ADDS,
    tuned=Tuning(),
    only_on=Cloud.AKS,
    acceptance=FabricAcceptance(
        verbs(Transport.INFINIBAND.value, "IB"), INFINIBAND_TESTS, Launcher.MPI_JOB, fabric_of_node=_PLACEMENT_GROUP
    ),
    rail_bound=True,
    pci_names=("Mellanox Technologies", "ConnectX"),
    serving=(images.VLLM,),
)
"""GPUs and NICs by claims."""

# No DeviceClass of AKS's is published, its driver is dra.net: ours selects the devices.
INFINIBAND_MANAGED = replace(
    INFINIBAND,
    name="infiniband-managed",
    nic_attachment=replace(DRANET, driver="aks-managed", follows="1.0.1", chart=None, only_on=Cloud.AKS),
)
"""AKS's managed DRANET hands out the NICs."""


def _plugged(resource: str, *, full_node: bool) -> Fabric:
    """By a device plugin of NVIDIA's Network Operator, which the cloud's own part installs."""
    name = resource.replace("/", "-").replace("_", "-")
    installed = (f"gpu-operator {charts.GPU_OPERATOR.version}", f"network-operator {charts.NETWORK_OPERATOR.version}")
    return replace(
        INFINIBAND,
        name=f"infiniband-{name}",
        nic_attachment=ExtendedResource(f"network-operator-{name}", resource, chart=None, full_node=full_node),
        acceptance=replace(INFINIBAND.acceptance, also=(*installed, images.DOCA_DRIVER.image)),
        default_allocation=GpuAllocation.DEVICE_PLUGIN,
    )


RDMA_IB = _plugged("rdma/ib", full_node=False)
"""NICs for a pod alone: it asks for as many as it shall have."""
RDMA_SHARED_IB = _plugged("rdma/shared_ib", full_node=True)
"""All NICs of a node, shared by its pods: each asks for 1."""
RDMA_HCA_SHARED = _plugged("rdma/hca_shared_devices_a", full_node=True)
"""The same, under the name that NeMo, Dynamo and AICR ask for."""

FABRICS = (INFINIBAND, INFINIBAND_MANAGED, RDMA_IB, RDMA_SHARED_IB, RDMA_HCA_SHARED)
