"""What pods on GKE say to get whole nodes' NICs by naming networks, and devices of the host for their sidecars."""

import json
from collections.abc import Callable, Mapping, Sequence

from nccl_verdict.expectation import Network
from ..catalog import images
from ..catalog.gke_releases import GpuDirectSet
from ..catalog.machine import Machine, Transport
from .acceptance import FabricAcceptance, Launcher
from .fabric import Fabric, GpuAllocation, InterfaceCounters
from .nic_attachment import PodNetwork, PodNetworks
from .plugin import HostDaemon, HostPlugin
from .pod_patch import HostMount, PodPatch

# https://docs.cloud.google.com/kubernetes-engine/docs/how-to/setup-multinetwork-support-for-pods
_INTERFACES = "networking.gke.io/interfaces"
_DEFAULT_INTERFACE = "networking.gke.io/default-interface"
_FRONT_END = PodNetwork("default", "eth0")

LIBRARIES = "/home/kubernetes/bin/nvidia/lib64"
NVIDIA = HostMount("nvidia", "/home/kubernetes/bin/nvidia", "/usr/local/nvidia", read_only=True)
"""Read-only, as GKE's own device plugin has it, and Google's tests of gIB on Autopilot, which mount the plugin so, too:
container-engine-accelerators@992db81 cmd/nvidia_gpu/nvidia_gpu.go, gpudirect-rdma/nccl-test-a4-autopilot.yaml."""

DEVICE_INJECTOR = HostDaemon(
    "nri-device-injector", images.NRI_DEVICE_INJECTOR.image, {"dev": "/dev", "nri": "/var/run/nri"}
)
"""Google's plugin of containerd: it gives a container the devices that its pod's annotation names."""


def by_name(networks: Callable[[Machine], tuple[PodNetwork, ...]]) -> PodNetworks:
    """The NIC attachment of machines whose pods name ``networks``, all of them, beside the cluster's own."""
    return PodNetworks(lambda machine: interfaces(networks(machine)), networks)


def interfaces(networks: Sequence[PodNetwork]) -> dict[str, str]:
    """The annotations that name networks."""
    nics = [{"interfaceName": each.interface, "network": each.name} for each in (_FRONT_END, *networks)]
    return {_DEFAULT_INTERFACE: _FRONT_END.interface, _INTERFACES: json.dumps(nics)}


def gvnics(machine: Machine) -> tuple[PodNetwork, ...]:
    """Networks of machines whose rails are gVNICs, by the names of Google's guides, which SkyPilot asks for."""
    return tuple(PodNetwork(f"vpc{i + 1}", f"eth{i + 1}") for i in range(machine.nics))


def titanium_and_rails(machine: Machine) -> tuple[PodNetwork, ...]:
    """Networks of machines with a RoCE VPC beside their second gVNIC, by the same names."""
    rails = (PodNetwork(f"rdma-{i}", f"eth{i + 2}", rdma=True) for i in range(machine.nics))
    return (PodNetwork("gvnic-1", "eth1"), *rails)


def devices(container: str, paths: Sequence[str]) -> Mapping[str, str]:
    """The annotation by which ``DEVICE_INJECTOR`` gives devices of the host to a container."""
    return {f"devices.gke.io/container.{container}": "".join(f"- path: {path}\n" for path in paths)}


GPU_DEVICES = (*(f"/dev/nvidia{i}" for i in range(8)), "/dev/nvidiactl", "/dev/nvidia-uvm")
"""All GPUs of a node of eight, which the device plugin gives to one container alone."""

HOST_VIEWS = (HostMount("sys", "/sys", "/hostsysfs"), HostMount("proc-sys", "/proc/sys", "/hostprocsysfs"))
"""Where the daemons of GPUDirect see the host."""


def gpu_direct(
    name: str, transport: Transport, nccl_name: str, release: GpuDirectSet, script: str, pod_patch: PodPatch
) -> Fabric:
    """GPUDirect-TCPX or TCPXO: ``script`` installs the plugin on the hosts, and a daemon in each pod serves it.

    ``nccl_name`` is what NCCL calls its network.
    """
    return Fabric(
        name=name,
        transport=transport,
        nic_attachment=by_name(gvnics),
        plugin=HostPlugin(name, release.plugin, {"nvidia-lib64": LIBRARIES}, script, beside=(DEVICE_INJECTOR,)),
        pod_patch=pod_patch,
        acceptance=FabricAcceptance(
            Network(transport=transport.value, names=(nccl_name,), claimable=False),
            (release.tests,),
            Launcher.INDEXED_JOB,
            also=(DEVICE_INJECTOR.image,),
        ),
        # Each rail is a VPC of its own, and none is peered with another.
        rail_bound=True,
        # https://pci-ids.ucw.cz/read/PC/1ae0/0042
        pci_names=("Google, Inc.", "Compute Engine Virtual Ethernet [gVNIC]"),
        counters=InterfaceCounters(),
        # The daemon gets all GPUs of the host, other pods' too: a pod takes a whole node, by the device plugin.
        default_allocation=GpuAllocation.DEVICE_PLUGIN,
    )
