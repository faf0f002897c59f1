"""What Google publishes as one set for GPUDirect-TCPX and TCPXO: plugin, daemon, NCCL and environment."""

from collections.abc import Mapping
from dataclasses import replace

from pulumi_offline.frozen import frozen
from . import images
from .machine import Source
from .releases import NcclPlugin, NcclTests


@frozen
class GpuDirectSet:
    """One release: never mix two rows. All pods of a job must have the same."""

    plugin: NcclPlugin
    daemon: str
    """Image of the daemon that moves received bytes into GPUs, which runs beside the program in every pod."""
    nccl: str
    """Version of NCCL that the plugin's installer brings, and that the release was qualified with."""
    env: Mapping[str, str]
    """What every rank must have set. TCPXO's plugin compares it with a list of its own, and ends a job that differs."""
    tests: NcclTests


_LIBRARIES = "/usr/local/nvidia/lib64"
"""Where a pod sees the plugin."""

# fmt: off
_TESTS = NcclTests(image=images.TCPX_PLUGIN.image, architecture="amd64", tests="/third_party/nccl-tests-mpi/build",
    mpirun="mpirun", mpi_args="", daemon="service ssh restart",
    # On TCPX unverified: as in Google's other images of this kind, whose scripts it shares.
    ssh_port=222,
    source=Source("github.com/GoogleCloudPlatform/container-engine-accelerators@992db81 "
        "gpudirect-tcpx/nccl-config.yaml, nccl-test-latest.yaml", "2026-06-09"))
"""Releases of TCPX; those of TCPXO stand in the same folders."""

TCPXO = GpuDirectSet(plugin=NcclPlugin("v1.0.15", "amd64", images.TCPXO_PLUGIN.image, images.TCPXO_PLUGIN.source),
    daemon=images.TCPXO_DAEMON.image, nccl="2.28.7",
    # The release's own nccl-env-profile.sh, as it comes out for eth0 and eth1 to eth8; without the verbosity of logs.
    env={"LD_LIBRARY_PATH": _LIBRARIES, "NCCL_LIB_DIR": _LIBRARIES,
        "NCCL_FASTRAK_IFNAME": ",".join(f"eth{i + 1}" for i in range(8)), "NCCL_FASTRAK_CTRL_DEV": "eth0",
        "NCCL_SOCKET_IFNAME": "eth0", "NCCL_CROSS_NIC": "0", "NCCL_PROTO": "Simple,LL128", "NCCL_MIN_NCHANNELS": "4",
        "NCCL_NVLSTREE_MAX_CHUNKSIZE": "131072", "NCCL_P2P_NET_CHUNKSIZE": "524288", "NCCL_P2P_PCI_CHUNKSIZE": "524288",
        "NCCL_P2P_NVL_CHUNKSIZE": "1048576", "NCCL_FASTRAK_NUM_FLOWS": "2", "NCCL_FASTRAK_ENABLE_CONTROL_CHANNEL": "0",
        "NCCL_BUFFSIZE": "8388608", "NCCL_FASTRAK_USE_SNAP": "1", "NCCL_FASTRAK_USE_LLCM": "1",
        "NCCL_FASTRAK_LLCM_DEVICE_DIRECTORY": "/dev/aperture_devices",
        "CUDA_VISIBLE_DEVICES": ",".join(map(str, range(8))), "NCCL_NET_GDR_LEVEL": "PIX",
        "NCCL_FASTRAK_ENABLE_HOTPATH_LOGGING": "0", "NCCL_TUNER_PLUGIN": "libnccl-tuner.so",
        "NCCL_TUNER_CONFIG_PATH": f"{_LIBRARIES}/a3plus_tuner_config.textproto",
        "NCCL_SHIMNET_GUEST_CONFIG_CHECKER_CONFIG_FILE": f"{_LIBRARIES}/a3plus_guest_config.textproto",
        "NCCL_FASTRAK_PLUGIN_ACCEPT_TIMEOUT_MS": "600000"},
    tests=replace(_TESTS, image=images.TCPXO_PLUGIN.image,
        # The plugin wants it on every rank.
        mpi_args="-x CUDA_VISIBLE_DEVICES", daemon="/scripts/container_entry.sh daemon",
        source=Source("github.com/google/nccl-plugin-gpudirect-tcpxo@v1.0.15 (8c073c5) tcpxo.dockerfile, tcpxo_scripts",
            "2026-03-10")))


def _bindings(first: str, second: str) -> str:
    """CPUs of each NIC: two NICs a socket."""
    return ";".join(f"eth{i + 1}:{first if i < 2 else second}" for i in range(4))


TCPX = GpuDirectSet(plugin=NcclPlugin("v3.1.12", "amd64", images.TCPX_PLUGIN.image, images.TCPX_PLUGIN.source),
    daemon=images.TCPX_DAEMON.image, nccl="2.19.4",
    # As the release notes list it. The CPUs are those beside each NIC on an A3 High, by the numbers of all 208.
    env={"LD_LIBRARY_PATH": _LIBRARIES, "NCCL_SOCKET_IFNAME": "eth0", "NCCL_ALGO": "Ring,Tree", "NCCL_PROTO": "Simple",
        "NCCL_CROSS_NIC": "0", "NCCL_NET_GDR_LEVEL": "PIX", "NCCL_P2P_PXN_LEVEL": "0",
        "NCCL_GPUDIRECTTCPX_SOCKET_IFNAME": "eth1,eth2,eth3,eth4", "NCCL_GPUDIRECTTCPX_CTRL_DEV": "eth0",
        "NCCL_DYNAMIC_CHUNK_SIZE": "524288", "NCCL_P2P_NET_CHUNKSIZE": "524288", "NCCL_P2P_PCI_CHUNKSIZE": "524288",
        "NCCL_P2P_NVL_CHUNKSIZE": "1048576", "NCCL_BUFFSIZE": "4194304", "NCCL_NSOCKS_PERTHREAD": "4",
        "NCCL_SOCKET_NTHREADS": "1",
        "NCCL_GPUDIRECTTCPX_TX_BINDINGS": _bindings("8-21,112-125", "60-73,164-177"),
        "NCCL_GPUDIRECTTCPX_RX_BINDINGS": _bindings("22-35,126-139", "74-87,178-191"),
        "NCCL_GPUDIRECTTCPX_PROGRAM_FLOW_STEERING_WAIT_MICROS": "500000"},
    tests=_TESTS)
