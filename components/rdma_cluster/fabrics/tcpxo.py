"""Google's GPUDirect-TCPXO, also FasTrak: A3 Mega's eight gVNICs, whose hosts put received bytes into GPUs.

Plugin and NCCL are installed on the hosts; each pod brings the daemon that registers GPU memory with the NICs.
https://docs.cloud.google.com/kubernetes-engine/docs/how-to/gpu-bandwidth-gpudirect-tcpx
"""

from ..catalog.gke_releases import TCPXO as RELEASE
from ..catalog.machine import Transport
from .gke_pods import GPU_DEVICES, HOST_VIEWS, LIBRARIES, NVIDIA, devices, gpu_direct
from .plugin import HostPlugin
from .pod_patch import HostMount, PodPatch, Sidecar

_APERTURES = "/dev/aperture_devices"
_READY = "/run/health-check"
"""The daemon writes it when it serves; its name may hold no underscore."""

# On the host itself: COS drops what comes in over TCP, the kernel module that lets NICs write into GPUs is not loaded,
# and the NICs' apertures (PCI 1ae0:0084) lie deep in sysfs, where no pod could mount them by a name known before.
_HOST_SCRIPT = f"""set -e
iptables -C INPUT -p tcp -m tcp -j ACCEPT || iptables -I INPUT -p tcp -m tcp -j ACCEPT
modprobe import-helper
set +e
mkdir -p {_APERTURES}
lspci -nn -D | grep 1ae0:0084 | while read -r address rest; do
  folder={_APERTURES}/$address
  mkdir -p "$folder"
  grep -q " $folder " /proc/mounts || mount --bind "$(readlink -f "/sys/bus/pci/devices/$address")" "$folder"
done
chmod -R a+r {_APERTURES}
chmod a+rw {_APERTURES}/*/resource*
exit 0
"""

# With --install-nccl: the release is qualified with its own NCCL, which goes before the container's.
_SCRIPT = f"""set -eu
nsenter -at 1 -- sh -c '{_HOST_SCRIPT}'
/scripts/container_entry.sh install --install-nccl
cp -r {HostPlugin.KEPT_OPEN} /var/lib/tcpxo/lib64/. {HostPlugin.STAGE}{LIBRARIES}
"""

_DAEMON = Sidecar(
    name="tcpxo-daemon",
    image=RELEASE.daemon,
    command=("bash", "/fts/entrypoint_rxdm_container.sh", "--num_hops=2"),
    mounts=(NVIDIA, *HOST_VIEWS),
    env={"LD_LIBRARY_PATH": "/usr/local/nvidia/lib64", "HEALTH_CHECK_LOG_FILE": _READY},
    capabilities=("NET_ADMIN", "NET_BIND_SERVICE"),
    ready=("cat", _READY),
    # About 30 s by gpudirect-tcpxo/best-practice.md (container-engine-accelerators@992db81); a bad node never is.
    ready_seconds=120,
)

TCPXO = gpu_direct(
    "tcpxo",
    Transport.TCPXO,
    "FasTrak",
    RELEASE,
    _SCRIPT,
    PodPatch(
        mounts=(NVIDIA, HostMount("aperture-devices", _APERTURES, _APERTURES)),
        shared_memory="64Gi",
        env=RELEASE.env,
        sidecars=(_DAEMON,),
        annotations=devices(_DAEMON.name, (*GPU_DEVICES, "/dev/dmabuf_import_helper")),
    ),
)

FABRICS = (TCPXO,)
