"""What to do about what NCCL and its plugins warn of: by the words, the error code and the fabric.

The first row that fits counts, so that the specific stands before the general. Read on 2026-11-28 in the sources that
``SOURCES`` names; docs/verdict.md shows the table.
"""

import re
from typing import NamedTuple

SOURCES = {
    "nccl": "NVIDIA/nccl v2.16.2 to v2.30.7, every WARN", "doc": "NVIDIA's NCCL guide, troubleshooting and env.rst",
    "verbs": "rdma-core@691953d8d, ibv_wc_status and ibv_event_type", "ofi": "aws-ofi-nccl v1.7.4 to v1.21.1",
    "efa": "libfabric@af8ddbe92 prov/efa/src/efa_errno.h and efa_strerror.c", "aws": "AWS's guide, EFA's security group",
    "gib": "Google's NCCL/gIB troubleshooting, 2026-04-06", "tcpx": "google/nccl-plugin-gpudirecttcpx@4b8ea7f",
    "tcpxo": "google/nccl-plugin-gpudirect-tcpxo@04815d1", "rccl": "ROCm/rccl@0cbce2a and ROCm/rocm-systems",
}  # fmt: skip
"""The short name of a source to what it is; what is not in it is an issue's number."""


class Remedy(NamedTuple):
    """One row."""

    signs: str
    """What is printed, in lower case: alternatives between `` | ``, parts in order between ``..``. A code is written as
    ``code_of`` gives it."""
    fabric: str
    """``EFA``, ``gIB`` or such, several between blanks; empty where it is the same on all."""
    means: str
    """What it is."""
    run: str
    """What to run or to change; ``{of}`` stands for `` -d mlx5_5``, ``{nic}`` and ``{peer}`` for what the line names."""
    isnt: str
    """What it probably is not; empty where that is plain."""
    source: str
    effect: bool = False
    """Whether it follows from a failure elsewhere, so that any cause leads before it."""


class Advice(NamedTuple):
    """A row as it applies to one line."""

    row: Remedy
    cause: str
    """What it is, what to look at, and what it probably is not, with NIC and peer."""
    then: str
    """What to run, on which host."""
    nic: str
    """Device and port, ``mlx5_3:1``, or the device alone; empty where none is named."""
    peer: str
    """Address or host that the line names as the other end."""

    @property
    def is_cause(self) -> bool:
        return not self.row.effect


_NODE = "dmesg -T | tail -n 200"
REMEDIES: tuple[Remedy, ...] = tuple(Remedy(*each) for each in (
    # verbs: asynchronous events
    ("event..port error", "gIB", "the link of {nic} went down", "ip -br link; ibv_devinfo{of}; then cordon the node and "
     "have Google repair its host", "GPU or NCCL", "verbs"),
    ("event..port error", "", "the link of {nic} went down", "ibv_devinfo{of}; mlxlink{of} or ethtool; then see cable and "
     "switch port", "GPU or NCCL", "verbs"),
    ("event..local catastrophic error | event..wq fatal | device..marked as failed | error is fatal ( | fatal error. "
     "detected", "", "{nic} itself failed", "dmesg -T | grep -i {device}; ibv_devinfo{of}; then take the node out", "the "
     "cable or NCCL", "verbs"),
    ("access violation | completion 4; | completion 8; | completion 10;", "", "{nic} was asked for memory that nobody "
     "registered for it, or no longer: a process freed or reused a buffer, another process of the job had died, or "
     "nvidia-peermem, DMA-BUF, ACS or IOMMU does not fit the driver", "lsmod | grep nvidia_peermem; dmesg -T | grep -iE "
     "'peermem|iommu|mlx5'; and again with NCCL_DMABUF_ENABLE=0", "a broken NIC or cable", "verbs nccl#1905"),
    ("event..invalid request | event..cq error | event..catastrophic error | event..path migration request", "", "{nic} "
     "refused a request of NCCL", "dmesg -T | grep -i {device}; then compare NCCL, plugin, driver and firmware with those "
     "of the other nodes", "the cable", "verbs"),
    ("event..gid table change | gid table changed", "", "an address of {nic} changed while it was in use", "ip -br "
     "address; show_gids; journalctl -u systemd-networkd", "the cable", "verbs"),
    ("communicator encountered a fatal error", "", "NCCL gave up after an event that a NIC of this node reports on another "
     "line", _NODE, "", "nccl", True),
    # verbs: status of a completion
    ("completion 12; | transport retry", "gIB", "{peer} did not answer on that rail in time: a link flapped, or the two "
     "ends' NCCL_IB_TIMEOUT, NCCL_IB_RETRY_CNT or NCCL_IB_TC are not gIB's", "env | grep NCCL_IB beside "
     "/usr/local/gib/scripts/set_nccl_env.sh; /usr/local/gib/scripts/show_gids.sh at both ends; then pairs of the nodes",
     "the GPU", "gib verbs"),
    ("completion 12; | transport retry", "InfiniBand", "{peer} did not answer in time: its process or node is gone, a link on "
     "the way is down or drops packets, or partitions (P_Key) differ", "ibv_devinfo{of}; perfquery -x at both ends; then "
     "ib_write_bw{of} to it, and pairs of the nodes", "NCCL where other pairs pass", "verbs doc"),
    ("completion 12; | transport retry", "RoCE", "{peer} did not answer in time: its process or node is gone, no route joins "
     "the two GIDs, MTU or traffic class (NCCL_IB_TC) differ, or the switch drops packets", "show_gids; ip -s link; ping "
     "-I the NIC's own interface to the other GID's address; then ib_write_bw{of}, and pairs of the nodes", "NCCL where other "
     "pairs pass", "verbs doc"),
    ("completion 12; | transport retry | completion 22;", "", "{peer} did not answer in time: its process or node is gone, "
     "or a link or route between the two NICs does not carry", "ibv_devinfo{of}; show_gids where the fabric is RoCE; then "
     "pairs of the nodes", "NCCL where other pairs pass", "verbs"),
    ("completion 13;", "", "{peer} had nothing ready to receive into: its process hangs, died or runs another collective",
     "py-spy dump or its log at the other end; then pairs of the nodes", "cable or switch", "verbs"),
    ("completion 5;", "", "the queue was being torn down: another error of this connection came first", "the first NCCL WARN "
     "and the first process that ended, by time, over all ranks", "", "verbs", True),
    ("completion 1; | completion 11; | completion 9; | posted incorrect receive | collective mismatch | message truncated",
     "", "the two ends do not expect the same message: they call collectives in another order or size, or run another NCCL, "
     "plugin or NCCL_* setting", "NCCL's version and env | grep NCCL of all ranks; they must be the same", "the fabric",
     "nccl verbs gib"),
    ("completion 2; | completion 7; | completion 21; | completion 23; | completion 3;", "", "{nic} could not carry a request "
     "out", "dmesg -T | grep -i {device}; then compare NCCL, driver and firmware with those of the other nodes", "the cable",
     "verbs"),
    ("got completion | got cqe with error", "", "{peer} did not answer or refused", "ibv_devinfo{of} at both ends; then each "
     "against a third node", "NCCL where other pairs pass", "nccl"),
    # verbs: a queue pair on its way, by errno and state
    ("modify_qp ", "EFA", "NCCL's own InfiniBand transport took EFA devices, which have no such queues: aws-ofi-nccl was not "
     "loaded", "env | grep -E 'NCCL_NET|LD_LIBRARY'; fi_info -p efa; and NCCL_NET_PLUGIN=ofi", "the security group",
     "rdma-core#779 ofi"),
    ("modify_qp 110>", "", "{peer} cannot be reached from {nic}: no route joins the two rails (so NCCL_CROSS_NIC=0), the GID "
     "index is of another address, or the other NIC is down", "show_gids; ip route get the remote GID's address; env | grep "
     "-E 'NCCL_CROSS_NIC|NCCL_IB_GID_INDEX'", "locked memory or the cable", "gib nccl#2013"),
    ("modify_qp 61>", "gIB", "{nic} has no address at that GID index", "/usr/local/gib/scripts/show_gids.sh; then systemctl "
     "restart systemd-networkd on the node, and see NCCL_IB_GID_INDEX", "the peer", "gib"),
    ("modify_qp 61>", "", "{nic} has no address at that GID index", "show_gids; ip -br address; and NCCL_IB_GID_INDEX unset "
     "(NCCL 2.21 and later choose it)", "the peer", "gib nccl"),
    ("modify_qp 22>", "", "one end's GID is empty or of another kind (IPv4, IPv6, RoCE v1, v2), or MTU or traffic class differ",
     "show_gids and ip -br link at both ends; NCCL_IB_GID_INDEX and NCCL_IB_TC must be the same", "the cable", "gib doc"),
    ("modify_qp 113> | modify_qp 101>", "", "no route leads from {nic} to {peer}", "ip route get the remote GID's address; "
     "the rails' subnets, and NCCL_CROSS_NIC=0 where rails are not joined", "GPU or NCCL", "nccl#2013"),
    ("modify_qp 12> | cannot allocate memory..ibv_ | call to ibv_..cannot allocate memory", "", "the pod may not lock memory, or "
     "{nic} has no queues left", "ulimit -l, which must be unlimited (capability IPC_LOCK); dmesg -T", "cable or switch",
     "doc"),
    (">init;", "", "the port of {nic} is not active, or NCCL_IB_PKEY names no partition", "ibv_devinfo{of}; "
     "/sys/class/infiniband/{device}/ports/1/pkeys", "the peer", "nccl verbs"),
    ("modify_qp ", "", "{nic} refused to be joined to {peer}", "show_gids; ibv_devinfo{of}; " + _NODE, "the switch", "nccl"),
    ("call to ibv_..not supported | call to ibv_..failed", "EFA", "NCCL's own InfiniBand transport took EFA devices, which have "
     "no such queues: aws-ofi-nccl was not loaded", "env | grep -E 'NCCL_NET|LD_LIBRARY'; fi_info -p efa; and "
     "NCCL_NET_PLUGIN=ofi", "the security group", "rdma-core#779 ofi"),
    ("ibv_reg_..bad address | ibv_reg_..invalid argument | ibv_reg_dmabuf", "", "{nic} cannot register the GPU's memory: neither "
     "nvidia-peermem nor DMA-BUF works", "lsmod | grep nvidia_peermem; dmesg -T; and NCCL_DMABUF_ENABLE=0", "cable or switch",
     "doc"),
    ("call to ibv_ | ibv_post_ | net/mlx5 | mlx5dv | dlvsym failed | lib wrapper not initialized | unable to open device | unable "
     "to query | ibv_poll_cq", "", "verbs refused a call on {nic}", "ls /dev/infiniband; ulimit -l; ibv_devinfo{of}; "
     + _NODE, "cable or switch", "nccl verbs"),
    ("incompatible devices | device is incompatible | different link_layer | merge | mergeddev | fused nic | fusing net | force merge "
     "| virtual device | vnic | makevdevice | virtual nic | physical device | plane id | policy max | netdevs policy", "", "NCCL "
     "was told, or tries, to take NICs together that do not fit", "NCCL_IB_HCA with the fabric's NICs alone, NCCL_IB_MERGE_NICS "
     "and NCCL_NET_FORCE_MERGE unset, the same on all nodes", "a broken NIC", "nccl rccl"),
    ("net/ib..flid | subnet_prefix_len | ooo rq | gid_index", "", "a setting of NCCL_IB_ does not fit the fabric", "env | grep "
     "NCCL_IB on all nodes", "a broken NIC", "nccl"),
    # EFA
    ("security group | efa 15; | efa 4126;", "", "no answer ever came from {peer}: its security group does not let EFA traffic in and "
     "out to itself (a rule for all addresses does not cover it), the two are in other subnets, or its process is gone",
     "aws ec2 describe-security-groups: one rule in and one out, all protocols, that name the group itself; then fi_pingpong -p "
     "efa between two pods", "NCCL or the GPUs", "efa aws gardener-extension-provider-aws#1832"),
    ("efa 4124; | efa 13;", "", "{peer} answered before and no longer does: its process or its instance is gone", "the first "
     "process that ended, by time, over all nodes; dmesg -T | grep -i efa there", "the security group", "efa"),
    ("efa 9; | efa 8; | efa 14; | efa 1; | efa 4127; | efa 4113;", "", "{peer} closed its end first", "the first process that "
     "ended, by time, over all nodes", "EFA", "efa", True),
    ("efa 10;", "", "{peer} had nothing ready to receive into: its process hangs or is slow", "its log and py-spy dump at the other "
     "end", "the security group", "efa"),
    ("efa 5; | efa 7; | efa 4111; | efa 4106; | net/ofi..memory | net/ofi..mr  | net/ofi..regist", "", "EFA was asked for memory that "
     "is not registered, or could not register the GPU's", "modinfo efa; dmesg -T | grep -iE 'efa|peermem'; the same EFA "
     "installer on all nodes; and memory that the program frees too soon", "the security group", "efa ofi"),
    ("efa 2; | efa 4; | efa 4110; | efa 4114; | efa 4101; | efa 4117;", "", "the EFA device failed a request", "dmesg -T | grep -i "
     "efa; fi_info -p efa; then another instance in its place", "the security group", "efa"),
    ("efa 3; | efa 6; | efa 11; | efa 12; | efa 18; | efa 4097; | efa 4098; | efa 4099; | efa 4115; | efa 4125; | requires at least "
     "libfabric | libfabric 1.18 | protocol version", "", "the two ends run other libfabric, aws-ofi-nccl or EFA drivers",
     "fi_info --version; modinfo -F version efa; the NET/OFI Initializing line; on all nodes", "the security group", "efa ofi"),
    ("efa 4105; | efa 4108; | efa 4109; | efa 4112;", "", "libfabric ran out of memory", "free -g; grep Huge /proc/meminfo; the "
     "pod's memory limit", "the security group", "efa"),
    ("remote rails | remote control rails | expected..rails | number of nics | group nics | group size", "EFA", "the nodes, or "
     "the GPUs of one, do not hold as many EFA devices as each other", "fi_info -p efa | grep -c domain in each pod, beside its "
     "vpc.amazonaws.com/efa or claim", "the security group", "ofi aws-ofi-nccl#990"),
    ("gdr disabled on | gdr support reported | gpudirect rdma | fi_opt_cuda | cuda_api", "EFA", "EFA cannot reach the GPU's "
     "memory by itself", "modinfo efa; lsmod | grep -E 'efa_nv_peermem|nvidia_peermem'; env | grep FI_EFA", "the security group",
     "ofi"),
    ("insufficient libfabric | no viable endpoint | no eligible | fabric provider | fi_getinfo | access domain | unable to find "
     "plugin | protocol ..failed | initialization failed | provider capabilities | expected value larger than zero", "EFA",
     "libfabric found no EFA device in the pod", "fi_info -p efa; ls /dev/infiniband; the pod's vpc.amazonaws.com/efa or claim",
     "the security group", "ofi"),
    ("net/ofi..cuda", "", "aws-ofi-nccl cannot use the GPU's driver", "nvidia-smi; ldconfig -p | grep libcuda", "EFA", "ofi"),
    ("topolog", "EFA", "aws-ofi-nccl cannot read or write the machine's topology", "ls /sys/bus/pci/devices; env | grep "
     "NCCL_TOPO_FILE", "the security group", "ofi"),
    ("completed with error | net/ofi", "", "EFA, or its plugin, failed a request to {peer}", "fi_info -p efa; dmesg -T | grep -i "
     "efa; the same EFA installer on all nodes", "", "ofi"),
    # gIB, TCPX, TCPXO
    ("mismatch enforced | mismatch recommended | guest_config_checker | config file at default paths", "", "gIB's check of NCCL's "
     "settings found one that it does not know so", "source /usr/local/gib/scripts/set_nccl_env.sh before the program, and "
     "nothing of NCCL_ set by hand", "the fabric", "gib"),
    ("nccl_tuner_config", "", "gIB's tuner has no file", "NCCL_TUNER_CONFIG_PATH as set_nccl_env.sh has it", "the fabric", "gib"),
    ("rxdm | nic mappings | fastrak", "", "the daemon of GPUDirect-TCPXO does not answer", "the log of the container tcpxo-daemon "
     "in the same pod; both images must be of one release; /dev/aperture_devices mounted in both", "NCCL", "tcpxo"),
    ("receive-datapath-manager | flow steering | gpudirecttcpx | tcpx | no ctrl interface | so_zerocopy | no cmsg | errorqueue | "
     "failstop | unpack", "", "GPUDirect-TCPX does not work here", "the log of the container tcpx-daemon in the same pod; "
     "/run/tcpx mounted in both; NCCL_GPUDIRECTTCPX_SOCKET_IFNAME and _CTRL_DEV against ip -br address", "NCCL", "tcpx"),
    # plugins
    ("network..not found", "gIB", "NCCL_NET names a network whose plugin was not loaded", "mount /home/kubernetes/bin/gib at "
     "/usr/local/gib; LD_LIBRARY_PATH=/usr/local/gib/lib64:/usr/local/nvidia/lib64", "the NICs", "gib doc"),
    ("network..not found", "EFA", "NCCL_NET names a network whose plugin was not loaded", "NCCL_NET_PLUGIN=ofi (aws-ofi-nccl "
     "1.15 and later); ls /opt/amazon/ofi-nccl/lib; NCCL_NET unset, or Libfabric", "the NICs", "ofi doc"),
    ("network..not found | initialize any net plugin", "", "NCCL_NET names a network whose plugin was not loaded, or no network could "
     "start", "env | grep NCCL_NET; the lines NET/Plugin above; ldconfig -p | grep nccl-net; NCCL_NET unset", "the NICs", "doc"),
    ("incompatible version | not match the parent | different from child | device code index | netplugin[ | plugin refcount",
     "", "NCCL and a plugin are of other versions", "the lines NET/Plugin above on all ranks; one image for all", "the NICs",
     "nccl"),
    # NVLink
    ("nvlink sharp | nvls | multicast | multimem", "", "NVSwitch's multicast does not work: Fabric Manager is not up, or of "
     "another version than the driver", "systemctl status nvidia-fabricmanager; nvidia-smi -q | grep -A4 Fabric; "
     "NCCL_NVLS_ENABLE=0 to go on without", "the NICs", "nccl pytorch#177472"),
    ("mnnvl | imex", "", "the nodes' NVLink domain cannot be used: IMEX is not up on each, or the pod has no channel of it",
     "nvidia-imex-ctl -N; ls /dev/nvidia-caps-imex-channels; the pod's ComputeDomain claim; NCCL_MNNVL_ENABLE=0 to go by the "
     "NICs", "the NICs", "nccl"),
))  # fmt: skip

_COMPLETION = re.compile(r"with (?:status|error) {0,2}=? {0,2}(?:[\w ]{1,40}\()?(\d{1,3})\b")
_EFA = re.compile(r"(?:\bError: |prov_errno: )(\d{1,5})\b")
_QP = re.compile(r"ibv_modify_qp failed with (?:error )?(\d{0,3}) ?([A-Za-z ]{0,40})")
_NEXT = re.compile(r"next state (\w{1,8})")
_ERRNOS = {"connection timed out": "110", "invalid argument": "22", "no data available": "61", "no route to host": "113",
           "network is unreachable": "101", "cannot allocate memory": "12"}  # fmt: skip
_NIC = re.compile(r"\b(?:hca|on dev) ([\w.+-]{1,64}(?::\d{1,4})?)|: ([\w.+-]{1,64}:\d{1,4}) (?:Got|async|GID|unknown)")
_PEER = re.compile(
    r"from peer (\S{1,80})|remote GID ([0-9a-fA-F:.]{2,60})|Peer host id: (i-\w{1,32})|Peer EFA addr: (\S{1,120})|"
    r"(?:remote peer|onnect to|recv from) ([\w.\[\]:%-]{1,80}<\d{1,5}>)"
)  # fmt: skip


def code_of(message: str) -> str:
    """The code in a message as the rows write it: ``completion 12;``, ``efa 4126;``, ``modify_qp 110>rtr;``."""
    if "ompletion from peer" in message and (found := _COMPLETION.search(message)):
        return f"completion {found[1]};"
    if "NET/OFI" in message and (found := _EFA.search(message)):
        return f"efa {found[1]};"
    if found := _QP.search(message):
        state = _NEXT.search(message)
        number = found[1] or _ERRNOS.get(found[2].strip().lower().removesuffix(" errno"), "")
        return f"modify_qp {number}>{state[1].lower() if state else ''};"
    return ""


def advise(message: str, transport: str = "", host: str = "") -> Advice | None:
    """What to do about what stands behind ``NCCL WARN``, on a fabric by the name that ``Network`` has; ``None`` where no
    row fits."""
    words = f"{message.lower()}\n{code_of(message)}"
    fabric = _fabric(message) or transport
    for row, (fabrics, signs) in zip(REMEDIES, _SIGNS, strict=True):
        if (not fabrics or fabric in fabrics) and any(_holds(words, parts) for parts in signs):
            return _advice(row, message, host)
    return None


def _fabric(message: str) -> str:
    """The fabric that the message itself names."""
    if "NET/OFI" in message:
        return "EFA"
    if "NET/gIB" in message:
        return "gIB"
    return ""


def _holds(words: str, parts: tuple[str, ...]) -> bool:
    place = 0
    for part in parts:
        found = words.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


def _advice(row: Remedy, message: str, host: str) -> Advice:
    nic, peer = (next(filter(None, found.groups()), "") if found else "" for found in
                 (_NIC.search(message), _PEER.search(message)))  # fmt: skip
    device = nic.partition(":")[0]
    names = {"nic": nic or "that NIC", "device": device or "mlx5", "of": f" -d {device}" if device else "",
             "peer": f"the other end {peer}" if peer else "the other end"}  # fmt: skip
    isnt = f"; it is probably not {row.isnt}" if row.isnt else ""
    where = f"on {host}: " if host else ""
    return Advice(row, row.means.format(**names) + isnt, where + row.run.format(**names), nic, peer)


_SIGNS = tuple(
    (tuple(row.fabric.split()), tuple(tuple(each.split("..")) for each in row.signs.split(" | "))) for row in REMEDIES
)
