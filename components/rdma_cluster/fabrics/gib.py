"""Google's gIB: RoCE on A3 Ultra, A4 and A4X with a plugin that is installed on the hosts, on A4X Max in the image."""

from dataclasses import replace

from nccl_verdict.expectation import Network
from ..catalog import images, releases
from ..catalog.machine import Machine, Transport
from .acceptance import FabricAcceptance, Launcher
from .dranet import DRANET
from .fabric import Fabric, GpuAllocation
from .gke_pods import LIBRARIES, NVIDIA, by_name, titanium_and_rails
from .nic_attachment import Claims
from .plugin import HostDaemon, HostPlugin, ImagePlugin
from .pod_patch import HostMount, PodPatch

_NETWORK = Network(transport=Transport.GIB.value, names=("gIB",))
_HOST = {"gib": "/home/kubernetes/bin/gib", "nvidia-lib64": LIBRARIES}

# No --install-nccl: it would put NCCL itself beside the driver's libraries and override the container's own
# (AI-Hypercomputer/xpk#1014).
_SCRIPT = f"""set -eu
/scripts/container_entry.sh install
cp -r {HostPlugin.KEPT_OPEN} /var/lib/gib/lib64/. {HostPlugin.STAGE}{_HOST["nvidia-lib64"]}
cp -r {HostPlugin.KEPT_OPEN} /var/lib/gib/. {HostPlugin.STAGE}{_HOST["gib"]}
"""


def _is_metal(machine: Machine) -> bool:
    from ..catalog.gke import GkeMachine  # no other cloud's machines have gIB

    return isinstance(machine, GkeMachine) and machine.metal


GIB = Fabric(
    name="gib",
    transport=Transport.GIB,
    nic_attachment=DRANET,
    plugin=HostPlugin("gib", releases.GIB_X86, _HOST, _SCRIPT),
    pod_patch=PodPatch(
        mounts=(NVIDIA, HostMount("gib", "/home/kubernetes/bin/gib", "/usr/local/gib", read_only=True)),
        shared_memory="250Gi",
        env={"LD_LIBRARY_PATH": "/usr/local/nvidia/lib64", "NCCL_NET": "gIB"},
        source="/usr/local/gib/scripts/set_nccl_env.sh",
        capabilities=("IPC_LOCK",),
    ),
    acceptance=FabricAcceptance(_NETWORK, (releases.GIB_TESTS,), Launcher.INDEXED_JOB),
    rail_bound=True,
    pci_names=("Mellanox Technologies", "ConnectX"),
    serves=lambda machine: machine.architecture == "amd64",
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
    only_on="gke",
)
GIB_MANAGED = replace(GIB, name="gib-managed", nic_attachment=_MANAGED)
"""GKE's managed DRANET hands out the NICs."""

GIB_POD_NETWORKS = replace(
    GIB,
    name="gib-pod-networks",
    nic_attachment=by_name(titanium_and_rails),
    # A pod takes a whole node; this is what Google's guide and SkyPilot run on.
    default_allocation=GpuAllocation.DEVICE_PLUGIN,
)
"""Pods name the networks of a whole node's NICs."""

GIB_ARM_MANAGED = replace(
    GIB_MANAGED,
    name="gib-arm64-managed",
    # A name of its own: both may be on nodes of one cluster.
    plugin=HostPlugin("gib-arm64", releases.GIB_ARM, _HOST, _SCRIPT),
    acceptance=FabricAcceptance(_NETWORK, (releases.GIB_ARM_TESTS,), Launcher.INDEXED_JOB),
    # As Google's guide and blueprint have it: GKE's driver and plugin hand the GPUs out, claims the NICs and channels.
    default_allocation=GpuAllocation.DEVICE_PLUGIN,
    serves=lambda machine: machine.architecture == "arm64" and not _is_metal(machine),
)
"""A4X: the plugin for Grace, NICs by GKE's managed DRANET."""

GIB_ARM_POD_NETWORKS = replace(
    GIB_ARM_MANAGED, name="gib-arm64-pod-networks", nic_attachment=GIB_POD_NETWORKS.nic_attachment, only_on="gke"
)
"""A4X as Google's guide by hand has it: pods name the networks."""

# An address that another host seemed to have (dadfailed) is tried again by setting the interface down and up; then the
# container starts anew. As Google's manifest does it (container-engine-accelerators@992db81 asapd-lite-installer). Its
# second container, netslo-ebpf-manager, has a floating tag alone; it and the flags of the hairpin probe, which measure
# and set nothing up, are in none of cluster-toolkit's clusters.
_ASAPD_SCRIPT = """/usr/local/bin/run_asapd_lite.sh
sleep 15
again=
for interface in $(ip -o link show | awk -F': ' '{print $2}' | grep gpu); do
  if ip -6 addr show dev "$interface" | grep -q dadfailed; then
    ip link set dev "$interface" down
    ip link set dev "$interface" up
    again=yes
  fi
done
[ -z "$again" ] || exit 1
wait
"""
ASAPD_LITE = HostDaemon(
    name="asapd-lite",
    image=images.ASAPD_LITE.image,
    host_paths={
        "sys": "/sys",
        "proc": "/proc",
        "udev-rules": "/etc/udev/rules.d",
        "run-udev": "/run/udev",
        "run-asapd-lite": "/run/asapd-lite",
        "log": "/var/log/google/asapd-lite",
        "lib": "/var/lib/google/asapd-lite",
        "systemd-system": "/etc/systemd/system",
        "run-systemd": "/run/systemd",
    },
    script=_ASAPD_SCRIPT,
    env={"LD_LIBRARY_PATH": "/asapd-lite/controller"},
    limits={"hugepages-2Mi": "8192Mi", "memory": "1024Mi"},
    huge_pages="/hugepages-2Mi",
    health_port=19540,
)
"""It sets up the RDMA NICs of bare-metal hosts: without it they have no interface for a pod.

https://docs.cloud.google.com/ai-hypercomputer/docs/create/gke-ai-hypercompute-custom-a4x-max
"""

GIB_METAL = replace(
    GIB_ARM_MANAGED,
    name="gib-metal",
    plugin=ImagePlugin("gib-metal", "NCCL/gIB v1.1.1 with NCCL 2.28.9 and doca-ofed-userspace", beside=(ASAPD_LITE,)),
    pod_patch=replace(
        GIB.pod_patch,
        mounts=(NVIDIA,),
        # The image's plugin goes before what anybody may have put beside the driver.
        env={"LD_LIBRARY_PATH": "/usr/local/gib/lib64:/usr/local/nvidia/lib64", "NCCL_NET": "gIB"},
        # The plugin of NCCL's environment in the image sets the rest by itself.
        source="",
    ),
    acceptance=FabricAcceptance(_NETWORK, (releases.GIB_METAL_TESTS,), Launcher.INDEXED_JOB, also=(ASAPD_LITE.image,)),
    serves=_is_metal,
)
"""A4X Max: no plugin on the hosts, but a daemon that sets up the NICs."""

FABRICS = (GIB, GIB_MANAGED, GIB_POD_NETWORKS, GIB_ARM_MANAGED, GIB_ARM_POD_NETWORKS, GIB_METAL)
