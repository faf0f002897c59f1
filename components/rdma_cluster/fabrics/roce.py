"""RoCE, which NCCL speaks by its InfiniBand transport. Oracle is the cloud that has it."""

from collections.abc import Callable
from dataclasses import replace

from ..catalog import images
from ..catalog.machine import Machine, Transport
from ..catalog.oke_releases import NCCL_TESTS
from .acceptance import FabricAcceptance, Launcher, verbs
from .dranet import DRANET
from .fabric import Fabric, GpuAllocation
from .nic_attachment import ExtendedResource, HostNetwork, NicAttachment
from .plugin import NoPlugin
from .pod_patch import ConfigFile, HostMount, PodPatch

VF_NETWORK = "rdma-vf"
"""Network of virtual functions, as Oracle's stack names it."""
VF_NETWORK_NAMESPACE = "default"
VF_RESOURCES = ("nvidia.com/rdma-vf", "nvidia.com/sriov-rdma-vf", "nvidia.com/mlnxnics")
"""Names that are in use for one and the same: Oracle's stack today, its branch before, and NeMo, AICR and SkyPilot."""

# Oracle's own place and name of it (oci-hpc-oke@61d210a docs/using-nccl-rccl-parameters-configmap.md): NCCL reads it by
# itself, the environment overrides it, and SkyPilot looks for it by this name.
_FOLDER, _FILE = "/etc", "nccl.conf"

# Without an address an RDMA port has no GID at the index that the parameters name, and NCCL hangs or takes TCP. The
# agent's plugin gives the address, after another one has let the port in by 802.1X.
_PORTS = (
    "list=$(sed -n 's/^NCCL_IB_HCA=//p' /etc/nccl.conf); index=$(sed -n 's/^NCCL_IB_GID_INDEX=//p' /etc/nccl.conf); "
    "case $list in =*) devices=$(echo \"${list#=}\" | tr ',' ' ') ;; "
    '*) devices=$(cd /sys/class/infiniband 2>/dev/null && ls -d "$list"* 2>/dev/null) ;; esac; '
    "[ -n \"$devices\" ] || echo 'no RDMA device is there'; "
    "for device in $devices; do port=/sys/class/infiniband/$device/ports/1; "
    'if [ ! -d "$port" ]; then echo "RDMA device $device is not there"; '
    'elif ! grep -q ACTIVE "$port/state"; then echo "the port of $device is down"; '
    "elif ! tr -d ':0\\n' < \"$port/gids/${index:-3}\" 2>/dev/null | grep -q .; then "
    'echo "$device has no address: is the agent\'s plugin Compute HPC RDMA Auto-Configuration on?"; fi; done'
)

_OF_POD = PodPatch(shared_memory="32Gi", capabilities=("IPC_LOCK",))


def parameters(machine: Machine, hcas: str) -> str:
    """NCCL's file of parameters for a shape, as Oracle publishes them."""
    return "".join(f"{name}={value}\n" for name, value in {**machine.nccl_settings, "NCCL_IB_HCA": hcas}.items())


def _tuned(pod_patch: PodPatch, hcas: Callable[[Machine], str]) -> Callable[[Machine], PodPatch]:
    """What a pod adds on a shape: its parameters, as a file."""

    def tuned(machine: Machine) -> PodPatch:
        slug = machine.name.lower().replace(".", "-")
        text = parameters(machine, hcas(machine))
        return replace(pod_patch, files=(ConfigFile(f"oci-nccl-parameters-{slug}", _FILE, _FOLDER, text, alone=True),))

    return tuned


def exact(machine: Machine) -> str:
    """The rails of a shape by name, none else: the front end's devices are RDMA devices, too."""
    return f"={','.join(machine.rdma_names or ())}"


def _fabric(name: str, nic_attachment: NicAttachment, pod_patch: PodPatch, hcas: Callable[[Machine], str]) -> Fabric:
    return Fabric(
        name=name,
        transport=Transport.ROCE,
        nic_attachment=nic_attachment,
        plugin=NoPlugin(),
        pod_patch=pod_patch,
        tuned=_tuned(pod_patch, hcas),
        only_on="oke",
        acceptance=FabricAcceptance(
            verbs(Transport.ROCE.value, "RoCE"), NCCL_TESTS, Launcher.MPI_JOB, check_of_node=_PORTS
        ),
        rail_bound=True,
        pci_names=("Mellanox Technologies", "ConnectX"),
        default_allocation=GpuAllocation.DEVICE_PLUGIN,
        # Oracle's images bring CUDA 12 or 13, and either runs it.
        serving=(images.VLLM_CUDA_12,),
    )


def _of_pods(machine: Machine) -> str:
    """By prefix: in a pod's own network its devices are all there are, under numbers not known before."""
    return "mlx5"


ROCE = replace(_fabric("roce", DRANET, _OF_POD, _of_pods), default_allocation=GpuAllocation.DRA)
"""By claims."""

ROCE_HOST = _fabric(
    "roce-host",
    HostNetwork(),
    # No driver hands out the devices, so the container must be allowed to open what it sees.
    replace(_OF_POD, mounts=(HostMount("infiniband", "/dev/infiniband", "/dev/infiniband"),), privileged=True),
    exact,
)
"""In the host's network, with all of its devices."""


def _virtual_functions(resource: str) -> Fabric:
    """As countable virtual functions of the SR-IOV operator, which the cloud's own part sets up."""
    name, network = resource.partition("/")[2], f"{VF_NETWORK_NAMESPACE}/{VF_NETWORK}"
    nic_attachment = ExtendedResource(f"sriov-{name}", resource, chart=None, network=network)
    return _fabric(f"roce-{name}", nic_attachment, _OF_POD, _of_pods)


VIRTUAL_FUNCTIONS = {resource: _virtual_functions(resource) for resource in VF_RESOURCES}
"""By the resource's name."""

FABRICS = (ROCE, ROCE_HOST, *VIRTUAL_FUNCTIONS.values())
