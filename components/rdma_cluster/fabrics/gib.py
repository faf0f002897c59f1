"""Google's gIB: RoCE on A3 Ultra, A4 and A4X with a plugin that is installed on the hosts, on A4X Max in the image."""

from dataclasses import replace

from ..catalog import images, releases
from ..catalog.machine import Cloud, Machine, Transport
from ..nccl.expectation import Network
from .acceptance import Carrier, Proof
from .asapd import ASAPD_LITE
from .dranet import DRANET
from .fabric import Fabric, GpuAllocation
from .gke_pods import by_name, titanium_and_rails
from .nic_attachment import Claims
from .plugin import HostPlugin, ImagePlugin
from .pod_patch import Fragment, HostMount

_NETWORK = Network(transport=Transport.GIB.value, names=("gIB",))
_HOST = {"gib": "/home/kubernetes/bin/gib", "nvidia-lib64": "/home/kubernetes/bin/nvidia/lib64"}

# No --install-nccl: it would put NCCL itself beside the driver's libraries and override the container's own
# (AI-Hypercomputer/xpk#1014).
_SCRIPT = f"""set -eu
/scripts/container_entry.sh install
cp -r /var/lib/gib/lib64/. {HostPlugin.STAGE}{_HOST["nvidia-lib64"]}
cp -r /var/lib/gib/. {HostPlugin.STAGE}{_HOST["gib"]}
"""

_NVIDIA = HostMount("nvidia", "/home/kubernetes/bin/nvidia", "/usr/local/nvidia")


def _is_x86(machine: Machine) -> bool:
    return machine.architecture == "amd64"


def _is_metal(machine: Machine) -> bool:
    from ..catalog.gke import GkeMachine  # no other cloud's machines have gIB

    return isinstance(machine, GkeMachine) and machine.metal


def _is_arm_guest(machine: Machine) -> bool:
    return machine.architecture == "arm64" and not _is_metal(machine)


GIB = Fabric(
    name="gib",
    transport=Transport.GIB,
    exposure=DRANET,
    plugin=HostPlugin("gib", releases.GIB_X86, _HOST, _SCRIPT),
    fragment=Fragment(
        mounts=(
            _NVIDIA,
            HostMount("gib", "/home/kubernetes/bin/gib", "/usr/local/gib"),
        ),
        shared_memory="250Gi",
        env={"LD_LIBRARY_PATH": "/usr/local/nvidia/lib64", "NCCL_NET": "gIB"},
        source="/usr/local/gib/scripts/set_nccl_env.sh",
        capabilities=("IPC_LOCK",),
    ),
    proof=Proof(_NETWORK, (releases.GIB_TESTS,), Carrier.INDEXED_JOB),
    rail_bound=True,
    pci_names=("Mellanox Technologies", "ConnectX"),
    serves=_is_x86,
    # The driver is GKE's default, of which only that of 1.36 is known to bring CUDA 13; a newer one runs this, too.
    serving=(images.VLLM_CUDA_12,),
)

# GKE installs the class and does not publish its selector; nothing but RDMA NICs is known to match it.
_MANAGED = Claims(
    driver="gke-managed",
    device_class="mrdma.google.com",
    selector='device.driver == "mrdma.google.com"',
    makes_class=False,
    follows="1.0.1",
    chart=None,
    slice_driver="mrdma.google.com",
    names_nics=False,
    every_interface=False,
    only_on=Cloud.GKE,
)
GIB_MANAGED = replace(GIB, name="gib-managed", exposure=_MANAGED)
"""GKE's managed DRANET hands out the NICs."""

GIB_POD_NETWORKS = replace(
    GIB,
    name="gib-pod-networks",
    exposure=by_name(titanium_and_rails),
    # A pod takes a whole node; this is what Google's guide and SkyPilot run on.
    default_allocation=GpuAllocation.DEVICE_PLUGIN,
)
"""Pods name the networks of a whole node's NICs."""

GIB_ARM_MANAGED = replace(
    GIB_MANAGED,
    name="gib-arm64-managed",
    # A name of its own: both may be on nodes of one cluster.
    plugin=HostPlugin("gib-arm64", releases.GIB_ARM, _HOST, _SCRIPT),
    proof=Proof(_NETWORK, (releases.GIB_ARM_TESTS,), Carrier.INDEXED_JOB),
    # As Google's guide and blueprint have it: GKE's driver and plugin hand the GPUs out, claims the NICs and channels.
    default_allocation=GpuAllocation.DEVICE_PLUGIN,
    serves=_is_arm_guest,
)
"""A4X: the plugin for Grace, NICs by GKE's managed DRANET."""

GIB_ARM_POD_NETWORKS = replace(
    GIB_ARM_MANAGED, name="gib-arm64-pod-networks", exposure=GIB_POD_NETWORKS.exposure, only_on=Cloud.GKE
)
"""A4X as Google's guide by hand has it: pods name the networks."""

GIB_METAL = replace(
    GIB_ARM_MANAGED,
    name="gib-metal",
    plugin=ImagePlugin("gib-metal", "NCCL/gIB v1.1.1 with NCCL 2.28.9 and doca-ofed-userspace", beside=(ASAPD_LITE,)),
    fragment=replace(
        GIB.fragment,
        mounts=(_NVIDIA,),
        # The image's plugin goes before what anybody may have put beside the driver.
        env={"LD_LIBRARY_PATH": "/usr/local/gib/lib64:/usr/local/nvidia/lib64", "NCCL_NET": "gIB"},
        # The plugin of NCCL's environment in the image sets the rest by itself.
        source="",
    ),
    proof=Proof(_NETWORK, (releases.GIB_METAL_TESTS,), Carrier.INDEXED_JOB, also=(ASAPD_LITE.image,)),
    serves=_is_metal,
)
"""A4X Max: no plugin on the hosts, but a daemon that sets up the NICs."""

FABRICS = (GIB, GIB_MANAGED, GIB_POD_NETWORKS, GIB_ARM_MANAGED, GIB_ARM_POD_NETWORKS, GIB_METAL)
