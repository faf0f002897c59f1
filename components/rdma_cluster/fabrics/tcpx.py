"""Google's GPUDirect-TCPX: A3 High's and A3 Edge's four gVNICs, whose driver puts received bytes into GPUs.

Plugin and NCCL are installed on the hosts; each pod brings the daemon that owns the GPU memory which NICs write to.
https://docs.cloud.google.com/kubernetes-engine/docs/how-to/gpu-bandwidth-gpudirect-tcpx
"""

from ..catalog.gke_releases import TCPX as RELEASE
from ..catalog.machine import Transport
from .gke_pods import GPU_DEVICES, HOST_VIEWS, LIBRARIES, NVIDIA, devices, gpu_direct
from .plugin import HostPlugin
from .pod_patch import HostMount, PodPatch, Sidecar

_SOCKETS = "/run/tcpx"
"""Where the daemon and the plugin meet. Google's test has it under the program's /tmp, which a program may empty."""
_SHARED = HostMount("tcpx-socket", _SOCKETS, _SOCKETS)

# optmem_max: sockets of this kind hold more notes than the kernel's default allows
# (container-engine-accelerators@992db81 gpudirect-tcpx/optmem-max-ds.yaml).
# With --install-nccl: the release is qualified with its own NCCL, which goes before the container's.
_SCRIPT = f"""set -eu
echo 131072 > /proc/sys/net/core/optmem_max
/scripts/container_entry.sh install --install-nccl
cp -r {HostPlugin.KEPT_OPEN} /var/lib/tcpx/lib64/. {HostPlugin.STAGE}{LIBRARIES}
"""

_DAEMON = Sidecar(
    name="tcpx-daemon",
    image=RELEASE.daemon,
    command=(
        "/tcpgpudmarxd/build/app/tcpgpudmarxd",
        *("--gpu_nic_preset", "a3vm", "--gpu_shmem_type", "fd", "--uds_path", _SOCKETS),
        *("--setup_param", "--verbose 128 2 0 "),
    ),
    mounts=(NVIDIA, _SHARED, *HOST_VIEWS),
    env={"LD_LIBRARY_PATH": "/usr/local/nvidia/lib64"},
    capabilities=("NET_ADMIN",),
    # The socket on which the plugin asks for rules of reception (google/nccl-plugin-gpudirecttcpx@4b8ea7f
    # src/rx_buf_mgr_client/rx_rule_client.cc).
    ready=("test", "-S", f"{_SOCKETS}/rx_rule_manager"),
    ready_seconds=120,
)

TCPX = gpu_direct(
    "tcpx",
    Transport.TCPX,
    "GPUDirectTCPX",
    RELEASE,
    _SCRIPT,
    PodPatch(
        mounts=(NVIDIA, _SHARED),
        shared_memory="64Gi",
        env={**RELEASE.env, "NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX": _SOCKETS},
        capabilities=("IPC_LOCK",),
        sidecars=(_DAEMON,),
        annotations=devices(_DAEMON.name, GPU_DEVICES),
    ),
)

FABRICS = (TCPX,)
