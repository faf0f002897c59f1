"""What to do about what NCCL and its plugins warn of, as a table: ``advice`` reads it, docs/verdict.md shows it.

A row has six fields between ``::``, and goes on in lines that are indented. The first that fits counts, so that the
specific stands before the general:
- what is printed, in small letters: alternatives between ``|``, parts in order between ``..``; ``advice.code_of`` gives
  codes as they are written here;
- the fabrics that it holds for, by the names of ``Network.transport``;
- what it is;
- what to run or change; ``{of}`` is `` -d mlx5_5``, ``{nic}``, ``{device}`` and ``{peer}`` what the line names;
- what it probably is not;
- where that was read (``SOURCES``, or an issue), and ``effect`` where it follows from a failure elsewhere, so that any
  cause leads before it.
"""

SOURCES = {
    "nccl": "NVIDIA/nccl v2.16.2 to v2.30.7, every `WARN`",
    "doc": "docs.nvidia.com/deeplearning/nccl/user-guide, troubleshooting and env",
    "verbs": "linux-rdma/rdma-core@691953d8d libibverbs/verbs.h",
    "efa": "ofiwg/libfabric@af8ddbe92 prov/efa/src/efa_errno.h and efa_strerror.c",
    "ofi": "aws/aws-ofi-nccl v1.7.4 to v1.21.1",
    "aws": "docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start-nccl.html",
    "gib": "Google's page on troubleshooting NCCL/gIB of 2026-04-06",
    "tcpx": "google/nccl-plugin-gpudirecttcpx@4b8ea7f",
    "tcpxo": "google/nccl-plugin-gpudirect-tcpxo@04815d1",
    "rccl": "ROCm/rccl@0cbce2a, ROCm/rocm-systems@09b3b350 projects/rccl",
}
"""Short names of what was read on 2026-11-28."""

TABLE = """\
event..port error :: gIB :: the link of {nic} went down :: ip -br link; ibv_devinfo{of}; then cordon the node and have
  Google repair its host :: GPU or NCCL :: verbs
event..port error :: any :: the link of {nic} went down :: ibv_devinfo{of}; mlxlink{of} or ethtool; then look at cable
  and switch port :: GPU or NCCL :: verbs
event..local catastrophic error | event..wq fatal | device..marked as failed | error is fatal ( | fatal error. detected
  :: any :: {nic} itself failed :: dmesg -T | grep -i {device}; ibv_devinfo{of}; then take the node out :: the cable or
  NCCL :: verbs
access violation | completion 4; | completion 8; | completion 10; :: any :: {nic} was asked for memory that nobody
  registered for it, or no longer: a process freed or reused a buffer, another process of the job had died, or
  nvidia-peermem, DMA-BUF, ACS or IOMMU does not fit the driver :: lsmod | grep nvidia_peermem; dmesg -T | grep -iE
  'peermem|iommu|mlx5'; and again with NCCL_DMABUF_ENABLE=0 :: a broken NIC or cable :: verbs nccl#1905
event..invalid request | event..cq error | event..catastrophic error | event..path migration request | async fatal event
  | async error event | async event | resiliency :: any :: {nic} refused a request of NCCL :: dmesg -T | grep -i
  {device}; then compare NCCL, plugin, driver and firmware with those of the other nodes :: the cable :: verbs
event..gid table change | gid table changed :: any :: an address of {nic} changed while it was in use :: ip -br address;
  show_gids; journalctl -u systemd-networkd :: the cable :: verbs
communicator encountered a fatal error :: any :: NCCL gave up after an event that a NIC of this node reports on another
  line :: dmesg -T | tail -n 200 :: - :: nccl effect
completion 12; | transport retry :: gIB :: {peer} did not answer on that rail in time: a link flapped, or the two ends'
  NCCL_IB_TIMEOUT, NCCL_IB_RETRY_CNT or NCCL_IB_TC are not gIB's :: env | grep NCCL_IB beside
  /usr/local/gib/scripts/set_nccl_env.sh; /usr/local/gib/scripts/show_gids.sh at both ends; then pairs of the nodes ::
  the GPU :: gib verbs
completion 12; | transport retry :: InfiniBand :: {peer} did not answer in time: its process or node is gone, a link on
  the way is down or drops packets, or partitions (P_Key) differ :: ibv_devinfo{of}; perfquery -x at both ends; then
  ib_write_bw{of} to it, and pairs of the nodes :: NCCL where other pairs pass :: verbs doc
completion 12; | transport retry :: RoCE :: {peer} did not answer in time: its process or node is gone, no route joins
  the two GIDs, MTU or traffic class (NCCL_IB_TC) differ, or the switch drops packets :: show_gids; ip -s link; ping -I
  the NIC's own interface to the other GID's address; then ib_write_bw{of}, and pairs of the nodes :: NCCL where other
  pairs pass :: verbs doc
completion 12; | transport retry | completion 22; :: any :: {peer} did not answer in time: its process or node is gone,
  or a link or route between the two NICs does not carry :: ibv_devinfo{of}; show_gids where the fabric is RoCE; then
  pairs of the nodes :: NCCL where other pairs pass :: verbs
completion 13; :: any :: {peer} had nothing ready to receive into: its process hangs, died or runs another collective ::
  py-spy dump or its log at the other end; then pairs of the nodes :: cable or switch :: verbs
completion 5; :: any :: the queue was being torn down: another error of this connection came first :: the first NCCL
  WARN and the first process that ended, by time, over all ranks :: - :: verbs effect
completion 1; | completion 11; | completion 9; | posted incorrect receive | collective mismatch | message truncated ::
  any :: the two ends do not expect the same message: they call collectives in another order or size, or run another
  NCCL, plugin or NCCL_* setting :: NCCL's version and env | grep NCCL of all ranks; they must be the same :: the fabric
  :: nccl verbs gib
completion 2; | completion 7; | completion 21; | completion 23; | completion 3; :: any :: {nic} could not carry a
  request out :: dmesg -T | grep -i {device}; then compare NCCL, driver and firmware with those of the other nodes ::
  the cable :: verbs
got completion | got cqe with error :: any :: {peer} did not answer or refused :: ibv_devinfo{of} at both ends; then
  each against a third node :: NCCL where other pairs pass :: nccl
modify_qp | call to ibv_ :: EFA :: NCCL's own InfiniBand transport took EFA devices, which have no such queues:
  aws-ofi-nccl was not loaded :: env | grep -E 'NCCL_NET|LD_LIBRARY'; fi_info -p efa; and NCCL_NET_PLUGIN=ofi :: the
  security group :: rdma-core#779 ofi
modify_qp 110> :: any :: {peer} cannot be reached from {nic}: no route joins the two rails (so NCCL_CROSS_NIC=0), the
  GID index is of another address, or the other NIC is down :: show_gids; ip route get the remote GID's address; env |
  grep -E 'NCCL_CROSS_NIC|NCCL_IB_GID_INDEX' :: locked memory or the cable :: gib nccl#2013
modify_qp 61> :: gIB :: {nic} has no address at that GID index :: /usr/local/gib/scripts/show_gids.sh; then systemctl
  restart systemd-networkd on the node, and see NCCL_IB_GID_INDEX :: the peer :: gib
modify_qp 61> :: any :: {nic} has no address at that GID index :: show_gids; ip -br address; and NCCL_IB_GID_INDEX
  unset, so that NCCL 2.21 and later choose it :: the peer :: gib nccl
modify_qp 22> :: any :: one end's GID is empty or of another kind (IPv4, IPv6, RoCE v1, v2), or MTU or traffic class
  differ :: show_gids and ip -br link at both ends; NCCL_IB_GID_INDEX and NCCL_IB_TC must be the same :: the cable ::
  gib doc
modify_qp 113> | modify_qp 101> :: any :: no route leads from {nic} to {peer} :: ip route get the remote GID's address;
  the rails' subnets, and NCCL_CROSS_NIC=0 where rails are not joined :: GPU or NCCL :: nccl#2013
modify_qp 12> | cannot allocate memory..ibv_ | call to ibv_..cannot allocate memory :: any :: the pod may not lock
  memory, or {nic} has no queues left :: ulimit -l, which must be unlimited (capability IPC_LOCK); dmesg -T :: cable or
  switch :: doc nccl-tests#206
>init; :: any :: the port of {nic} is not active, or NCCL_IB_PKEY names no partition :: ibv_devinfo{of};
  /sys/class/infiniband/{device}/ports/1/pkeys :: the peer :: nccl verbs
modify_qp :: any :: {nic} refused to be joined to {peer} :: show_gids; ibv_devinfo{of}; dmesg -T | tail -n 200 :: the
  switch :: nccl
ibv_reg_..bad address | ibv_reg_..invalid argument | ibv_reg_dmabuf :: any :: {nic} cannot register the GPU's memory:
  neither nvidia-peermem nor DMA-BUF works :: lsmod | grep nvidia_peermem; dmesg -T; and NCCL_DMABUF_ENABLE=0 :: cable
  or switch :: doc
call to ibv_ | ibv_post_ | net/mlx5 | mlx5dv | dlvsym failed | lib wrapper not initialized | unable to open device |
  unable to query | ibv_poll_cq | ib device :: any :: verbs refused a call on {nic} :: ls /dev/infiniband; ulimit -l;
  ibv_devinfo{of}; dmesg -T | tail -n 200 :: cable or switch :: nccl verbs
plugin..incompatible version | not match the parent | different from child | device code index | netplugin[ | ginplugin[
  | rmaplugin[ | plugin refcount :: any :: NCCL and a plugin are of other versions :: the lines NET/Plugin above on all
  ranks; one image for all :: the NICs :: nccl
incompatible | different link_layer | merge | fused nic | fusing net | virtual device | vnic | makevdevice | virtual nic
  | physical device | plane id | policy max | netdevs policy :: any :: NCCL was told, or tries, to take NICs together
  that do not fit :: NCCL_IB_HCA with the fabric's NICs alone, NCCL_IB_MERGE_NICS and NCCL_NET_FORCE_MERGE unset, the
  same on all nodes :: a broken NIC :: nccl rccl
net/ib..flid | subnet_prefix_len | ooo rq | gid_index :: any :: a setting of NCCL_IB_ does not fit the fabric :: env |
  grep NCCL_IB on all nodes :: a broken NIC :: nccl
security group | efa 15; | efa 4126; :: any :: no answer ever came from {peer}: its security group does not let EFA
  traffic in and out to itself (a rule for all addresses does not cover it), the two are in other subnets, or its
  process is gone :: aws ec2 describe-security-groups: one rule in and one out, all protocols, that name the group
  itself; then fi_pingpong -e rdm -p efa between two pods :: NCCL or the GPUs :: efa aws
  gardener-extension-provider-aws#1832
efa 4124; | efa 13; :: any :: {peer} answered before and no longer does: its process or its instance is gone :: the
  first process that ended, by time, over all nodes; dmesg -T | grep -i efa there :: the security group :: efa
efa 9; | efa 8; | efa 14; | efa 1; | efa 4127; | efa 4113; :: any :: {peer} closed its end first :: the first process
  that ended, by time, over all nodes :: EFA :: efa effect
efa 10; :: any :: {peer} had nothing ready to receive into: its process hangs or is slow :: its log and py-spy dump at
  the other end :: the security group :: efa
unable to register memory..rc: -22 :: any :: libfabric of an EFA installer before 1.29.1 refuses the memory that NCCL
  2.19 and later gives it, or EFA cannot register the GPU's :: the EFA installer 1.29.1 or later in image and node;
  until then FI_EFA_SET_CUDA_SYNC_MEMOPS=0; modinfo efa :: the security group :: awsome-distributed-ai#203 ofi
efa 5; | efa 7; | efa 4111; | efa 4106; | net/ofi..memory | net/ofi..mr  | net/ofi..regist :: any :: EFA was asked for
  memory that is not registered, or could not register the GPU's :: modinfo efa; dmesg -T | grep -iE 'efa|peermem'; the
  same EFA installer on all nodes; and memory that the program frees too soon :: the security group :: efa ofi
efa 2; | efa 4; | efa 4110; | efa 4114; | efa 4101; | efa 4117; :: any :: the EFA device failed a request :: dmesg -T |
  grep -i efa; fi_info -p efa; then another instance in its place :: the security group :: efa
efa 3; | efa 6; | efa 11; | efa 12; | efa 18; | efa 4097; | efa 4098; | efa 4099; | efa 4115; | efa 4125; | requires at
  least libfabric | libfabric 1.18 | protocol version :: any :: the two ends run other libfabric, aws-ofi-nccl or EFA
  drivers :: fi_info --version; modinfo -F version efa; the NET/OFI Initializing line; on all nodes :: the security
  group :: efa ofi
efa 4105; | efa 4108; | efa 4109; | efa 4112; :: any :: libfabric ran out of memory :: free -g; grep Huge /proc/meminfo;
  the pod's memory limit :: the security group :: efa
remote rails | remote control rails | expected..rails | number of nics | group nics | group size :: EFA :: the nodes, or
  the GPUs of one, do not hold as many EFA devices as each other :: fi_info -p efa | grep -c domain in each pod, beside
  its vpc.amazonaws.com/efa or claim :: the security group :: ofi aws-ofi-nccl#990
gdr disabled on | gdr support reported | gpudirect rdma | fi_opt_cuda | cuda_api :: EFA :: EFA cannot reach the GPU's
  memory by itself :: modinfo efa; lsmod | grep -E 'efa_nv_peermem|nvidia_peermem'; env | grep FI_EFA :: the security
  group :: ofi
insufficient libfabric | no viable endpoint | no eligible | fabric provider | fi_getinfo | access domain | unable to
  find plugin | protocol ..failed | initialization failed | provider capabilities | expected value larger than zero ::
  EFA :: libfabric found no EFA device in the pod :: fi_info -p efa; ls /dev/infiniband; the pod's vpc.amazonaws.com/efa
  or claim :: the security group :: ofi
net/ofi..cuda :: any :: aws-ofi-nccl cannot use the GPU's driver :: nvidia-smi; ldconfig -p | grep libcuda :: EFA :: ofi
topolog :: EFA :: aws-ofi-nccl cannot read or write the machine's topology :: ls /sys/bus/pci/devices; env | grep
  NCCL_TOPO_FILE :: the security group :: ofi
completed with error | net/ofi :: any :: EFA, or its plugin, failed a request to {peer} :: fi_info -p efa; dmesg -T |
  grep -i efa; the same EFA installer on all nodes :: - :: ofi
mismatch enforced | mismatch recommended | guest_config_checker | config file at default paths | nccl_tuner_config ::
  any :: gIB's check of NCCL's settings found one that it does not know so, or has no file to hold them against ::
  source /usr/local/gib/scripts/set_nccl_env.sh before the program, which names both files, and nothing of NCCL_ set by
  hand :: the fabric :: gib
rxdm | nic mappings | fastrak :: any :: the daemon of GPUDirect-TCPXO does not answer :: the log of the container
  tcpxo-daemon in the same pod; both images must be of one release; /dev/aperture_devices mounted in both :: NCCL ::
  tcpxo
receive-datapath-manager | flow steering | gpudirecttcpx | tcpx | no ctrl interface | so_zerocopy | no cmsg | errorqueue
  | failstop | unpack :: any :: GPUDirect-TCPX does not work here :: the log of the container tcpx-daemon in the same
  pod; /run/tcpx mounted in both; NCCL_GPUDIRECTTCPX_SOCKET_IFNAME and _CTRL_DEV against ip -br address :: NCCL :: tcpx
network..not found :: gIB :: NCCL_NET names a network whose plugin was not loaded :: mount /home/kubernetes/bin/gib at
  /usr/local/gib; LD_LIBRARY_PATH=/usr/local/gib/lib64:/usr/local/nvidia/lib64 :: the NICs :: gib doc
network..not found :: EFA :: NCCL_NET names a network whose plugin was not loaded :: NCCL_NET_PLUGIN=ofi (aws-ofi-nccl
  1.15 and later); ls /opt/amazon/ofi-nccl/lib; NCCL_NET unset, or Libfabric :: the NICs :: ofi doc
network..not found | initialize any net plugin :: any :: NCCL_NET names a network whose plugin was not loaded, or no
  network could start :: env | grep NCCL_NET; the lines NET/Plugin above; ldconfig -p | grep nccl-net; NCCL_NET unset ::
  the NICs :: doc
nvlink sharp | nvls | multicast | multimem :: any :: NVSwitch's multicast does not work: Fabric Manager is not up, was
  started anew without a reset of the GPUs, or is of another version than the driver :: systemctl status
  nvidia-fabricmanager; nvidia-smi -q | grep -A4 Fabric; then nvidia-smi -r or a reboot; NCCL_NVLS_ENABLE=0 to go on
  without :: the NICs :: nccl pytorch#177472 nccl-tests#276
mnnvl | imex :: any :: the nodes' NVLink domain cannot be used: IMEX is not up on each, or the pod has no channel of it
  :: nvidia-imex-ctl -N; ls /dev/nvidia-caps-imex-channels; the pod's ComputeDomain claim; NCCL_MNNVL_ENABLE=0 to go by
  the NICs :: the NICs :: nccl
no socket interface | is neither af_inet | no device found matching | no device found after | no interface found |
  listening interface | no ip interface | ncclnetifs= | no ctrl interface :: any :: NCCL_SOCKET_IFNAME names no
  interface of this pod, or none is left to join the ranks by :: ip -br address in the pod, beside env | grep -E
  'IFNAME|NCCL_COMM_ID' :: the fabric :: nccl doc nccl#1837 marin#6940
address family | ip family | same subnet as :: any :: one end speaks IPv4 and the other IPv6, or no interface shares a
  network with the address given :: ip -br address in both pods; NCCL_SOCKET_FAMILY and NCCL_SOCKET_IFNAME the same on
  all ranks :: the fabric :: nccl nccl#210
nccl_comm_id | no valid <ipv4 | no valid [ipv6 | address info | net : string is null :: any :: NCCL_COMM_ID, or a name
  in it, is no address :: env | grep NCCL_COMM_ID; getent hosts that name in the pod :: the fabric :: nccl
no route to host | network is unreachable :: any :: no route leads to {peer} over the network that joins the ranks :: ip
  route get that address in the pod; NCCL_SOCKET_IFNAME; firewalls and network policies :: the NICs of the fabric ::
  nccl doc
connect..refused | connect..exceeded | connect..timed out | connect..failed | connect..returned | exceeded retries |
  exceeded timeouts :: any :: {peer} could not be reached over the network that joins the ranks: its process ended or
  never began, its interface is another, or a firewall is between :: the log of that rank first; then nc -vz to that
  address from this pod; NCCL_SOCKET_IFNAME the same on all :: the NICs of the fabric :: nccl doc
wrong magic | wrong type | magic mismatch | mismatch in rank count | mismatch in info | already checked in | connections
  are not empty | truncated :: any :: something else spoke to NCCL's port, or the ranks disagree: another job with the
  same master address, a port scanner, or other NCCL versions :: MASTER_ADDR, MASTER_PORT and world size of all pods;
  NCCL version on all ranks :: the fabric :: nccl gib
version mismatch | mismatched nccl version | compiled with nccl | library is too old | library is not backwards | too
  old version of nccl :: any :: not all ranks, or not program and library, have the same NCCL :: the line NCCL version
  of each rank; one image for all; LD_LIBRARY_PATH and LD_PRELOAD :: the fabric :: nccl
closed by remote peer | progress error | accept failed | call to recv | while polling for opid | proxy call to rank |
  error encountered progressing | failed to execute operation | remote process exited | could not receive type | abort |
  socketpollconnect poll | exceeded error retry | asyncjob :: any :: {peer} ended first :: the first process that ended,
  and the first NCCL WARN, by time, over all ranks :: the fabric of this node :: nccl effect
socket creation | socket failed | too many connections | too many open :: any :: the process may not open more sockets
  :: ulimit -n, and how many files it holds: ls /proc/PID/fd | wc -l :: the fabric :: nccl
/dev/shm | shared memory | shm | failed to extend | no space left :: any :: the pod's shared memory is too small, or
  gone :: df -h /dev/shm; mount an emptyDir of medium Memory there; NCCL_SHM_DISABLE=1 to tell :: the NICs :: doc
uds: | ipc | convertfd | getfd | queryfd | shareable handle | listensock :: any :: processes of one node cannot hand GPU
  memory to each other :: one network and process namespace for the ranks of a node; NCCL_CUMEM_ENABLE=0;
  NCCL_P2P_DISABLE=1 to tell :: the NICs :: nccl doc
failed to peer | peer access | p2p is disabled between | p2p status :: any :: two GPUs of the node do not reach each
  other :: nvidia-smi topo -p2p r; dmesg -T | grep -iE 'xid|nvswitch|acs'; NCCL_P2P_DISABLE=1 to tell :: the NICs ::
  nccl doc
duplicate gpu | same gpu | same nvml device :: any :: two ranks were given one GPU :: CUDA_VISIBLE_DEVICES, -g,
  LOCAL_RANK and the pod's claim, on that node :: the fabric :: nccl
rank..exceeds ndev | invalid device | device ordinal | no cuda-capable :: any :: the process names a GPU that its
  container has not :: nvidia-smi -L in the container; LOCAL_RANK, CUDA_VISIBLE_DEVICES and the pod's claim :: the
  fabric :: nccl
mixed local net device | local net count | min local net :: any :: the nodes do not hold as many NICs as each other ::
  ls /sys/class/infiniband in each pod, beside its claim; NCCL_IGNORE_NET_MISMATCH=1 only to go on :: NCCL :: nccl
out of memory | cuda malloc | cuda calloc | cuda host alloc | no suitable space :: any :: the GPU, or pinned memory, is
  full :: nvidia-smi in the container: what else holds memory; NCCL_BUFFSIZE or fewer communicators :: the fabric ::
  nccl
failed to malloc | returned null | allocation failed | memory allocation | allocate memory | failed to allocate :: any
  :: the process got no memory :: free -g; the pod's memory limit; dmesg -T | grep -i oom :: the fabric :: nccl
illegal memory | launch failure | misaligned | illegal instruction | uncorrectable | hardware :: any :: a kernel of the
  program, or the GPU, failed before or in the collective :: dmesg -T | grep Xid; nvidia-smi -q -d ECC;
  compute-sanitizer where it is the program :: the NICs :: nccl
not yet initialized | failure 802 :: any :: NVSwitch is not up: Fabric Manager does not run, or is of another version
  than the driver :: systemctl status nvidia-fabricmanager; nvidia-smi -q | grep -A4 Fabric :: the NICs :: nccl
  nccl-tests#264
driver version | driver is insufficient | old driver | pfn functions | missing symbol | retrieve..failed | cuda library
  | cuda runtime | cuda driver | prior to cuda :: any :: the GPU's driver is missing in the container, or older than
  NCCL needs :: nvidia-smi in the container; the runtime class; ldconfig -p | grep libcuda :: the NICs :: nccl
nvml | libnvidia-ml :: any :: the driver's management library does not answer :: nvidia-smi on the node: library and
  kernel module of one version, no GPU lost (Xid 79) :: the NICs :: nccl
gdr_ | gdrcopy :: any :: GDRCopy does not work; NCCL goes on without :: lsmod | grep gdrdrv; NCCL_GDRCOPY_ENABLE=0 ::
  GPUDirect RDMA :: nccl
gdr is not enabled | gdr flag | gdr flush | peermem is not | dmabuf :: any :: GPUDirect RDMA does not work on that node
  :: lsmod | grep nvidia_peermem; dmesg -T | grep -iE 'peermem|iommu'; nvidia-smi topo -m in the pod :: cable or switch
  :: doc
cuda failure | cu failure | hip failure | cuda context | set cuda device | rocr failure | stream error | devicestream |
  hoststream :: any :: the GPU or its driver refused a call :: dmesg -T | grep -iE 'xid|amdgpu'; nvidia-smi or rocm-smi
  on the node :: the NICs :: nccl rccl
msccl | clique | message queue | rome model | ionic | offset set for | enabled in build :: any :: an algorithm or NIC
  library of RCCL's own cannot be used :: RCCL_MSCCL_ENABLE=0 and RCCL_MSCCLPP_ENABLE=0 to tell; RCCL_AINIC_ROCE and
  libionic of the driver's version for AI NICs :: cable or switch :: rccl
numa auto balancing | iommu= | amd_iommu | fine_grain :: any :: a setting of the node that RCCL wants is another; it
  goes on, slower or less surely :: sysctl kernel.numa_balancing=0; iommu=pt on the kernel's command line;
  HSA_FORCE_FINE_GRAIN_PCIE=1 on old ROCm :: the fabric :: rccl
arsmi | rocm_smi | rocm smi | rocr failure | rocr driver | hsa_ | rocm :: any :: ROCm's runtime or its management
  library does not answer in the container :: ls /dev/kfd /dev/dri; rocm-smi; ROCm of one version in image and driver ::
  the NICs :: rccl
~gin | ncclgin | _gin_ | ~doca | gdaki | ~rma | ncclrma | one-sided | one sided | put-signal | elastic | ncclputsignal |
  ncclwaitsignal | ncclsignal | ~segment | window | dev comm | device communicator | communicator properties :: any ::
  device-started networking (GIN, RMA) cannot be used as the program asked :: the NICs' driver and firmware,
  nvidia-peermem or DMA-BUF; or the program without GIN :: the fabric that other collectives use :: nccl
no algorithm | unrecognized | invalid nccl_ | invalid..minimum | invalid..maximum | too big | too small | user asked |
  ctas | ~cga | fifo | entries except | multiple of | out of range | greater than the | diviser | defaulting | channels
  | duplicate option | duplicate registration | ignored | allowed range :: any :: a setting of NCCL_ does not fit this
  NCCL or this communicator :: env | grep NCCL on all ranks, and /etc/nccl.conf; unset what you did not choose :: the
  fabric :: nccl doc
~ras :: any :: NCCL's monitor (RAS) failed; the job goes on :: NCCL_RAS_ENABLE=0 if it is in the way :: the fabric ::
  nccl
inspector | profiler | tuner | rocprofiler | npkit :: any :: a plugin that only watches or tunes failed; the job goes on
  :: env | grep -E 'NCCL_PROFILER|NCCL_TUNER|NCCL_INSPECTOR' :: the fabric :: nccl
~config | argument | invalid | ~null | must be | must not | must either | not a valid | not initialized via | ~group |
  unknown to | does not satisfy | redop | captured | ~graph | ~stream | self without | split | symmetric | commgrow |
  not supported | requires | garbage | builtin | before the previous | revoked | been destroyed | improper usage |
  deregister | allocated on device | data type | fp8 | suspend | resume :: any :: the program called NCCL wrongly, or
  not the same on all ranks :: the arguments at the call that the stack trace names, on all ranks: pointers, counts,
  types, order of calls :: the fabric or the node :: nccl
net/ib :: any :: NCCL's InfiniBand transport met a state on {nic} that should not be :: ibv_devinfo{of}; dmesg -T | grep
  -i {device}; the first NCCL WARN and the first process that ended over all ranks; NCCL, driver and firmware of the
  other nodes :: cable or switch :: nccl
xml | topology | nccl_topo | nccl_graph | numa id | unknown cpu | real path of | nvlink detection :: any :: the
  machine's topology cannot be read, or NCCL_TOPO_FILE or NCCL_GRAPH_FILE is of another machine :: env | grep -E
  'NCCL_TOPO|NCCL_GRAPH'; ls /sys/bus/pci/devices in the pod :: a broken NIC :: nccl
could not find | couldn't find | couldn't generate | no path computed | no transport | reverse path | set cpu affinity |
  sched_ | too many dev | not found in the list | requires nic | topo | tree already | ring..does not | for pattern |
  link error | c2c error | nvlink error | xgmi error | busid | mlopart | too many nodes | parent is null | attribute..of
  node :: any :: NCCL could not place the GPUs and NICs that this pod sees :: nvidia-smi topo -m in the pod beside a
  good one; its claim; env | grep -E 'NCCL_TOPO|NCCL_IB_HCA|VISIBLE_DEVICES' :: cable or switch :: nccl
collnet | sharp :: any :: the switches do not take part in the collective (SHARP); NCCL goes on without ::
  NCCL_COLLNET_ENABLE=0, or see the SHARP daemon and the plugin in the image :: a broken NIC :: nccl
proxy | memmanager | opid | allocation | internal | unknown | unexpected | mismatch | could not | failed | error | ready
  == | socket state | cannot :: any :: NCCL met a state of its own that should not be :: the first NCCL WARN and the
  first process that ended over all ranks; else the newest NCCL of this line, and its issues :: a cable :: nccl
"""
