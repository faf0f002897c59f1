"""InfiniBand, which NCCL speaks by itself."""

from dataclasses import replace
from typing import Any

from pulumi_offline.frozen import frozen
from ..catalog import images, releases
from ..catalog.machine import Machine, Transport
from .acceptance import FabricAcceptance, Launcher, verbs
from .dranet import DRANET
from .fabric import Fabric
from .nccl_topology import topology_xml
from .nic_attachment import Install
from .plugin import NoPlugin
from .pod_patch import ConfigFile, PodPatch

_TOPOLOGY = "/etc/nccl-topology"


def _values(install: Install) -> dict[str, Any]:
    """DraNet's usual values, but InfiniBand's network interfaces stay where they are: pods take the device alone."""
    assert DRANET.chart is not None
    values = DRANET.chart.values(install)
    return {**values, "args": {**values["args"], "moveIBInterfaces": False}}


_ADDS = PodPatch(shared_memory="64Gi", capabilities=("IPC_LOCK",))


@frozen
class Tuning:
    """What a pod adds on a machine: its settings of NCCL and its topology file, which nothing on a node provides.

    Without them a third of the bandwidth is reached on Azure's sizes.
    """

    sharp: bool = False
    """Whether switches are asked to reduce."""
    locks_memory: bool = True
    """Whether a container asks to lock its memory; off where the nodes let every container do it."""

    def __call__(self, machine: Machine) -> PodPatch:
        env = {**machine.nccl_settings, **(_sharp(machine) if self.sharp else {})}
        files: tuple[ConfigFile, ...] = ()
        if (topology := machine.nccl_topology) is not None:
            name = f"{topology.name}.xml"
            files = (ConfigFile(f"nccl-topology-{topology.name}", name, _TOPOLOGY, topology_xml(machine)),)
            env["NCCL_TOPO_FILE"] = f"{_TOPOLOGY}/{name}"
        return replace(_ADDS, env=env, files=files, capabilities=_ADDS.capabilities if self.locks_memory else ())


def _sharp(machine: Machine) -> dict[str, str]:
    """Settings for reductions in the switches, where a workload's image holds nccl-rdma-sharp-plugins.

    Racks reduce over NVLink, and the plugins are NVIDIA's.
    """
    if machine.is_rack or machine.gpu is None or not machine.gpu.model.startswith("NVIDIA") or not machine.rdma_names:
        return {}
    return {
        "NCCL_COLLNET_ENABLE": "1",
        "SHARP_COLL_ENABLE_SAT": "1",
        "SHARP_SMX_UCX_INTERFACE": f"{machine.rdma_names[0]}:1",
        "SHARP_COLL_ENABLE_PCI_RELAXED_ORDERING": "1",
        "SHARP_COLL_LOG_LEVEL": "3",
    }


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
    acceptance=FabricAcceptance(verbs(Transport.INFINIBAND.value, "IB"), releases.INFINIBAND_TESTS, Launcher.MPI_JOB),
    rail_bound=True,
    pci_names=("Mellanox Technologies", "ConnectX"),
    serving=(images.VLLM,),
)
"""GPUs and NICs by claims."""

FABRICS = (INFINIBAND,)
