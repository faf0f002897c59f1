"""Which NCCL plugin goes on which nodes, and what a workload then has to mount and source."""

from dataclasses import dataclass
from enum import Enum

from typing_extensions import TypedDict

from ...args import shape
from ...catalog.releases import EFA_NCCL_TESTS, GIB_X86, NcclPlugin
from ...faults import Faults
from .nodes import NodeSet
from .workload import HostMount, Workload


class Plugin(str, Enum):
    """NCCL network plugins."""

    GIB = "gib"
    """Google's gIB, for RoCE on A3 Ultra and A4: installed on the hosts."""
    AWS_OFI_NCCL = "aws-ofi-nccl"
    """AWS's plugin on libfabric, for EFA: in the images that run, nothing is installed."""


@shape
class NcclInstallerArgs(TypedDict):
    """A plugin and the nodes that need it."""

    plugin: Plugin
    """The plugin of the machines' fabric."""
    nodes: NodeSet
    """Exactly the nodes that get it."""


@dataclass(frozen=True)
class NcclInstallerPlan:
    """What ``NcclInstaller`` runs on each node."""

    release: NcclPlugin | None
    """What is installed; ``None`` where the images hold the plugin."""
    host_paths: dict[str, str]
    """Folders on the host, by the volume's name."""
    script: str
    """What the installer runs."""
    workload: Workload
    """What a pod adds to use the plugin."""


# The host's folders under the prefix where the installer sees them.
_STAGE = "/usr/local"
_GIB_HOST = {"gib": "/home/kubernetes/bin/gib", "nvidia-lib64": "/home/kubernetes/bin/nvidia/lib64"}

# No --install-nccl: it would put NCCL itself beside the driver's libraries and override the container's own
# (AI-Hypercomputer/xpk#1014).
_GIB_SCRIPT = f"""set -eu
/scripts/container_entry.sh install
cp -r /var/lib/gib/lib64/. {_STAGE}{_GIB_HOST["nvidia-lib64"]}
cp -r /var/lib/gib/. {_STAGE}{_GIB_HOST["gib"]}
"""

_GIB_WORKLOAD = Workload(
    mounts=(
        HostMount("nvidia", "/home/kubernetes/bin/nvidia", "/usr/local/nvidia"),
        HostMount("gib", "/home/kubernetes/bin/gib", "/usr/local/gib"),
    ),
    shared_memory="250Gi",
    env={"LD_LIBRARY_PATH": "/usr/local/nvidia/lib64", "NCCL_NET": "gIB"},
    source="/usr/local/gib/scripts/set_nccl_env.sh",
    capabilities=("IPC_LOCK",),
    image_hint=GIB_X86.diagnostic,
)

# Nothing of this is put on hosts. EKS's node images bring the EFA kernel module and rdma-core alone (amazon-eks-ami
# @81fec2e8 install-efa.sh: `--minimal`), and AWS hands the rest out in images. A copy of one image's /opt/amazon in
# another would mix three sets of libraries that must fit each other: libfabric with the libibverbs provider, whose file
# name carries its ABI, and the plugin with the NCCL of the workload. So the image holds the plugin, and these two
# variables make one without it fail at once, where NCCL would fall back to TCP without a word: NCCL_NET names the
# transport (Libfabric since aws-ofi-nccl 1.12, 2024-08), NCCL_NET_PLUGIN overrides NGC's `spcx` (Megatron-Bridge#5033).
# All else the plugin sets by itself, from the machine's name.
_OFI_WORKLOAD = Workload(
    shared_memory="64Gi",
    env={"NCCL_NET": "Libfabric", "NCCL_NET_PLUGIN": "ofi"},
    capabilities=("IPC_LOCK",),
    image_hint=EFA_NCCL_TESTS.image,
)


def stage_path(host_path: str) -> str:
    """Where the installer sees a folder of the host."""
    return f"{_STAGE}{host_path}"


def decide_nccl_installer(args: NcclInstallerArgs, faults: Faults) -> NcclInstallerPlan | None:
    """All choices of ``NcclInstaller``. Returns ``None`` when a fault was added."""
    if args["plugin"] is Plugin.AWS_OFI_NCCL:
        return NcclInstallerPlan(None, {}, "", _OFI_WORKLOAD)
    if not args["nodes"]["values"]:
        faults.at("nodes", "values").add("empty; name the pools that need the plugin, e.g. a4")
        return None
    return NcclInstallerPlan(GIB_X86, _GIB_HOST, _GIB_SCRIPT, _GIB_WORKLOAD)
