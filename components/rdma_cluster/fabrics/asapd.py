"""Google's asapd-lite, which sets up the RDMA NICs of bare-metal hosts: without it they have no interface for a pod.

https://docs.cloud.google.com/ai-hypercomputer/docs/create/gke-ai-hypercompute-custom-a4x-max
"""

from ..catalog import images
from .plugin import HostDaemon

# An address that another host seemed to have (dadfailed) is tried again by setting the interface down and up; then the
# container starts anew. As Google's manifest does it (container-engine-accelerators@992db81 asapd-lite-installer). Its
# second container, netslo-ebpf-manager, has a floating tag alone and is in none of cluster-toolkit's clusters.
_SCRIPT = """/usr/local/bin/run_asapd_lite.sh
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
    script=_SCRIPT,
    env={"LD_LIBRARY_PATH": "/asapd-lite/controller"},
    limits={"hugepages-2Mi": "8192Mi", "memory": "1024Mi"},
    huge_pages="/hugepages-2Mi",
    health_port=19540,
)
