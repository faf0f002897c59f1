"""Google's gIB: RoCE on A3 Ultra and A4, with a plugin that is installed on the hosts."""

from dataclasses import replace

from ..catalog import images, releases
from ..catalog.machine import Cloud, Transport
from .dranet import DRANET
from .fabric import Carrier, Claims, Fabric, Fragment, GpuAllocation, HostMount, HostPlugin, Proof
from .gke_pods import by_name, titanium_and_rails

_HOST = {"gib": "/home/kubernetes/bin/gib", "nvidia-lib64": "/home/kubernetes/bin/nvidia/lib64"}

# No --install-nccl: it would put NCCL itself beside the driver's libraries and override the container's own
# (AI-Hypercomputer/xpk#1014).
_SCRIPT = f"""set -eu
/scripts/container_entry.sh install
cp -r /var/lib/gib/lib64/. {HostPlugin.STAGE}{_HOST["nvidia-lib64"]}
cp -r /var/lib/gib/. {HostPlugin.STAGE}{_HOST["gib"]}
"""

GIB = Fabric(
    name="gib",
    transport=Transport.GIB,
    exposure=DRANET,
    plugin=HostPlugin("gib", releases.GIB_X86, _HOST, _SCRIPT),
    fragment=Fragment(
        mounts=(
            HostMount("nvidia", "/home/kubernetes/bin/nvidia", "/usr/local/nvidia"),
            HostMount("gib", "/home/kubernetes/bin/gib", "/usr/local/gib"),
        ),
        shared_memory="250Gi",
        env={"LD_LIBRARY_PATH": "/usr/local/nvidia/lib64", "NCCL_NET": "gIB"},
        source="/usr/local/gib/scripts/set_nccl_env.sh",
        capabilities=("IPC_LOCK",),
    ),
    proof=Proof((releases.GIB_TESTS,), Carrier.INDEXED_JOB),
    rail_bound=True,
    pci_names=("Mellanox Technologies", "ConnectX"),
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

FABRICS = (GIB, GIB_MANAGED, GIB_POD_NETWORKS)
