"""What each fabric's record says: what pods add, what NCCL prints, and which programs stay on the hosts.

The sources stand beside the records.
"""

from dataclasses import fields
from typing import Any

import pytest
from nccl_verdict.expectation import Network
from rdma_cluster.catalog import find
from rdma_cluster.catalog.aks import AksMachine
from rdma_cluster.catalog.machine import Transport
from rdma_cluster.fabrics import (
    FABRICS,
    ConfigFile,
    DriverCounters,
    HostDaemon,
    HostMount,
    HostPlugin,
    InterfaceCounters,
    Launcher,
    PodPatch,
    PortCounters,
)
from rdma_cluster.fabrics.infiniband import Tuning

BIN = "/home/kubernetes/bin"
NVIDIA = ("nvidia", f"{BIN}/nvidia", "/usr/local/nvidia", True)
LIBRARIES = {"LD_LIBRARY_PATH": "/usr/local/nvidia/lib64"}
LOCKS = ("IPC_LOCK",)
GIB_ADDS = {
    "mounts": [NVIDIA, ("gib", f"{BIN}/gib", "/usr/local/gib", True)], "shared_memory": "250Gi", "capabilities": LOCKS,
    "env": {**LIBRARIES, "NCCL_NET": "gIB"}, "source": "/usr/local/gib/scripts/set_nccl_env.sh",
}  # fmt: skip
EFA_ADDS = {"shared_memory": "64Gi", "env": {"NCCL_NET": "Libfabric", "NCCL_NET_PLUGIN": "ofi"}, "capabilities": LOCKS}
ROCE_ADDS = {"shared_memory": "32Gi", "capabilities": LOCKS}
ADDS: dict[str, dict[str, Any]] = {
    **{name: GIB_ADDS for name in FABRICS if name.startswith("gib")},
    "gib-metal": {
        "mounts": [NVIDIA], "shared_memory": "250Gi", "capabilities": LOCKS,
        "env": {"LD_LIBRARY_PATH": "/usr/local/gib/lib64:/usr/local/nvidia/lib64", "NCCL_NET": "gIB"},
    },
    **{name: EFA_ADDS for name in FABRICS if name.startswith("efa")},
    **{name: {"shared_memory": "64Gi", "capabilities": LOCKS} for name in FABRICS if name.startswith("infiniband")},
    **{name: ROCE_ADDS for name in FABRICS if name.startswith("roce")},
    "roce-host": {
        **ROCE_ADDS, "mounts": [("infiniband", "/dev/infiniband", "/dev/infiniband", False)], "privileged": True},
}  # fmt: skip
"""Of all but GPUDirect-TCPX and TCPXO: what a pod adds on any machine, besides what is empty."""


def added(patch: PodPatch) -> dict[str, Any]:
    """What is not empty."""
    said = {each.name: getattr(patch, each.name) for each in fields(patch)}
    said["mounts"] = [(each.name, each.host_path, each.mount_path, each.read_only) for each in patch.mounts]
    return {name: value for name, value in said.items() if value}


@pytest.mark.parametrize("name", ADDS)
def test_what_pods_add(name: str):
    """Shared memory, variables, folders of the host, capabilities, and a script where one sets the rest."""
    assert added(FABRICS[name].pod_patch) == ADDS[name]


GPUS = [*(f"/dev/nvidia{i}" for i in range(8)), "/dev/nvidiactl", "/dev/nvidia-uvm"]
HOST = [("sys", "/sys", "/hostsysfs", False), ("proc-sys", "/proc/sys", "/hostprocsysfs", False)]
SOCKET = ("tcpx-socket", "/run/tcpx", "/run/tcpx", False)
DAEMONS: dict[str, dict[str, Any]] = {
    "tcpx": {
        "mounts": [NVIDIA, SOCKET], "own": [NVIDIA, SOCKET, *HOST], "capabilities": LOCKS, "devices": GPUS,
        "command": ["/tcpgpudmarxd/build/app/tcpgpudmarxd", "--gpu_nic_preset", "a3vm", "--gpu_shmem_type", "fd",
                    "--uds_path", "/run/tcpx", "--setup_param", "--verbose 128 2 0 "],
        "env": LIBRARIES, "may": ("NET_ADMIN",), "ready": ["test", "-S", "/run/tcpx/rx_rule_manager"],
        "meets": {"NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX": "/run/tcpx"},
    },
    "tcpxo": {
        "mounts": [NVIDIA, ("aperture-devices", "/dev/aperture_devices", "/dev/aperture_devices", False)],
        "own": [NVIDIA, *HOST], "capabilities": (), "devices": [*GPUS, "/dev/dmabuf_import_helper"],
        "command": ["bash", "/fts/entrypoint_rxdm_container.sh", "--num_hops=2"],
        "env": {**LIBRARIES, "HEALTH_CHECK_LOG_FILE": "/run/health-check"}, "may": ("NET_ADMIN", "NET_BIND_SERVICE"),
        "ready": ["cat", "/run/health-check"], "meets": {},
    },
}  # fmt: skip


@pytest.mark.parametrize("name", DAEMONS)
def test_daemons_beside_the_pods_own_program(name: str):
    """What owns the GPUs' memory: its command, what it sees of the host, its rights, and when it serves."""
    said, patch = DAEMONS[name], FABRICS[name].pod_patch
    (daemon,) = patch.sidecars
    mounts = [[(m.name, m.host_path, m.mount_path, m.read_only) for m in of.mounts] for of in (patch, daemon)]

    assert mounts == [said["mounts"], said["own"]]
    assert (list(daemon.command), daemon.env, daemon.capabilities, list(daemon.ready), daemon.ready_seconds) == (
        said["command"], said["env"], said["may"], said["ready"], 120)  # fmt: skip
    assert (daemon.name, patch.shared_memory, patch.capabilities) == (f"{name}-daemon", "64Gi", said["capabilities"])
    assert patch.env.items() >= said["meets"].items() and patch.privileged is False
    assert patch.annotations == {
        f"devices.gke.io/container.{name}-daemon": "".join(f"- path: {path}\n" for path in said["devices"])
    }


VERBS: dict[str, Any] = {"names": ("IB", "IBext", "NCCL RDMA Plugin"),
         "where_to_look": "see /dev/infiniband in the pod, its claim, and the `NET/IB` lines above"}  # fmt: skip
PRINTED = {
    Transport.GIB: Network(transport="gIB", names=("gIB",)),
    Transport.TCPX: Network(transport="GPUDirect-TCPX", names=("GPUDirectTCPX",), claimable=False),
    Transport.TCPXO: Network(transport="GPUDirect-TCPXO", names=("FasTrak",), claimable=False),
    Transport.EFA: Network(
        transport="EFA", names=("Libfabric", "AWS Libfabric"), provider="efa",
        where_to_look="see `fi_info -p efa` in the pod, its vpc.amazonaws.com/efa or claim, and the `NET/OFI` lines "
        "above"),
    Transport.INFINIBAND: Network(transport="InfiniBand", link_layer="IB", **VERBS),
    Transport.ROCE: Network(transport="RoCE", link_layer="RoCE", **VERBS),
}  # fmt: skip
_MELLANOX, _GOOGLE = ("Mellanox Technologies", "ConnectX"), ("Google, Inc.", "Compute Engine Virtual Ethernet [gVNIC]")
OF_TRANSPORT = {
    Transport.GIB: (Launcher.INDEXED_JOB, _MELLANOX, PortCounters(), False),
    Transport.TCPX: (Launcher.INDEXED_JOB, _GOOGLE, InterfaceCounters(), False),
    Transport.TCPXO: (Launcher.INDEXED_JOB, _GOOGLE, InterfaceCounters(), False),
    Transport.EFA: (Launcher.MPI_JOB, ("Amazon.com, Inc.", "Elastic Fabric Adapter (EFA)"),
                    DriverCounters("rx_bytes", "tx_bytes"), False),
    Transport.INFINIBAND: (Launcher.MPI_JOB, _MELLANOX, PortCounters(), False),
    Transport.ROCE: (Launcher.MPI_JOB, _MELLANOX, PortCounters(), True),
}  # fmt: skip
"""What runs the test, a NIC's names in the PCI database, its counters, and whether nodes tell their faults."""


@pytest.mark.parametrize("name", FABRICS)
def test_what_is_of_a_transport(name: str):
    """Alike for every way in which pods get its NICs."""
    fabric = FABRICS[name]
    acceptance = fabric.acceptance

    assert acceptance.network == PRINTED[fabric.transport]
    assert OF_TRANSPORT[fabric.transport] == (
        acceptance.launcher, fabric.pci_names, fabric.counters, bool(acceptance.check_of_node),
    )  # fmt: skip
    assert len({each.architecture for each in acceptance.tests}) == len(acceptance.tests) > 0


def test_what_proofs_are_made_anew_for():
    """Daemons and operators whose versions are no part of the test's own image."""
    also = {name: [each.partition("@")[0].partition(":")[0].rpartition("/")[2].partition(" ")[0] for each in of]
            for name, fabric in FABRICS.items() if (of := fabric.acceptance.also)}  # fmt: skip
    operators = ["gpu-operator", "network-operator", "doca-driver"]

    assert also == {
        "gib-metal": ["asapd-lite"], "tcpx": ["nri-device-injector"], "tcpxo": ["nri-device-injector"],
        **{f"infiniband-rdma-{name}": operators for name in ("ib", "shared-ib", "hca-shared-devices-a")},
    }  # fmt: skip


PLUGINS = {
    "gib": ({"gib": f"{BIN}/gib", "nvidia-lib64": f"{BIN}/nvidia/lib64"}, "nccl-plugin-gib"),
    "gib-arm64": ({"gib": f"{BIN}/gib", "nvidia-lib64": f"{BIN}/nvidia/lib64"}, "nccl-plugin-gib-arm64"),
    "tcpx": ({"nvidia-lib64": f"{BIN}/nvidia/lib64"}, "nccl-plugin-gpudirecttcpx-dev"),
    "tcpxo": ({"nvidia-lib64": f"{BIN}/nvidia/lib64"}, "nccl-plugin-gpudirecttcpx-dev"),
}


@pytest.mark.parametrize("fabric", FABRICS.values(), ids=lambda fabric: fabric.name)
def test_who_brings_the_plugin(fabric: Any):
    """The host, by an installer, into folders of GKE's nodes; or the image; InfiniBand and RoCE need none."""
    plugin = fabric.plugin
    if isinstance(plugin, HostPlugin):
        assert (plugin.host_paths, plugin.version.rpartition("/")[2]) == PLUGINS[plugin.name]
        return
    assert (plugin.name, plugin.version) == {
        Transport.EFA: ("aws-ofi-nccl", "in the workload's image, 1.15 or later"),
        Transport.GIB: (
            "gib-metal",
            "in the workload's image, NCCL/gIB v1.1.1 with NCCL 2.28.9 and doca-ofed-userspace or later"),
    }.get(fabric.transport, ("", ""))  # fmt: skip


ASAPD_PATHS = {
    "sys": "/sys", "proc": "/proc", "udev-rules": "/etc/udev/rules.d", "run-udev": "/run/udev",
    "run-asapd-lite": "/run/asapd-lite", "log": "/var/log/google/asapd-lite", "lib": "/var/lib/google/asapd-lite",
    "systemd-system": "/etc/systemd/system", "run-systemd": "/run/systemd",
}  # fmt: skip


def test_daemons_of_the_hosts():
    """Google's asapd-lite sets up the NICs of bare-metal hosts, its device injector serves the pods of GPUDirect."""
    (asapd,) = FABRICS["gib-metal"].plugin.beside
    assert asapd == HostDaemon(
        "asapd-lite", asapd.image, ASAPD_PATHS, asapd.script, {"LD_LIBRARY_PATH": "/asapd-lite/controller"},
        {"hugepages-2Mi": "8192Mi", "memory": "1024Mi"}, "/hugepages-2Mi", 19540,
    )  # fmt: skip
    assert asapd.script.splitlines()[0] == "/usr/local/bin/run_asapd_lite.sh"
    for name in ("tcpx", "tcpxo"):
        (injector,) = FABRICS[name].plugin.beside
        assert injector == HostDaemon(
            "nri-device-injector", injector.image, {"dev": "/dev", "nri": "/var/run/nri"}, "", {}, {}, "", 0
        )
    assert {name for name, fabric in FABRICS.items() if fabric.plugin.beside} == {"gib-metal", "tcpx", "tcpxo"}


def test_what_is_tuned_on_azure():
    """Switches reduce where they are asked to, and nodes that let every container lock memory need no capability."""
    h100, rack = find("Standard_ND96isr_H100_v5"), find("Standard_ND128isr_NDR_GB200_v6")
    assert isinstance(h100, AksMachine) and isinstance(rack, AksMachine)
    topology = {"NCCL_TOPO_FILE": "/etc/nccl-topology/ndv5.xml"}
    sharp = {
        "NCCL_COLLNET_ENABLE": "1", "SHARP_COLL_ENABLE_SAT": "1", "SHARP_SMX_UCX_INTERFACE": "mlx5_0:1",
        "SHARP_COLL_ENABLE_PCI_RELAXED_ORDERING": "1", "SHARP_COLL_LOG_LEVEL": "3",
    }  # fmt: skip

    assert Tuning()(h100).env == {**h100.nccl, **topology}
    assert Tuning(sharp=True)(h100).env == {**h100.nccl, **sharp, **topology}
    assert Tuning(sharp=True)(rack).env == Tuning()(rack).env == rack.nccl
    (file,) = Tuning()(h100).files
    assert (file.config_map, file.name, file.folder, file.alone) == (
        "nccl-topology-ndv5", "ndv5.xml", "/etc/nccl-topology", False)  # fmt: skip
    assert (Tuning()(h100).capabilities, Tuning(locks_memory=False)(h100).capabilities) == (LOCKS, ())
    assert Tuning()(h100).shared_memory == "64Gi"
    assert FABRICS["infiniband"].pod_patch_on(h100) == Tuning()(h100)
    assert FABRICS["infiniband"].pod_patch_on(None) == FABRICS["infiniband"].pod_patch
    assert FABRICS["gib"].pod_patch_on(h100) == FABRICS["gib"].pod_patch


def test_what_is_tuned_on_oracle():
    """Its file of parameters stands in /etc beside others; in the host's network it names the rails alone."""
    h100 = find("BM.GPU.H100.8")
    assert h100 is not None
    rails = f"={','.join(h100.rdma_names or ())}"
    for name, hcas in (("roce-host", rails), ("roce", "mlx5"), ("roce-mlnxnics", "mlx5")):
        (file,) = FABRICS[name].pod_patch_on(h100).files
        assert file == ConfigFile("oci-nccl-parameters-bm-gpu-h100-8", "nccl.conf", "/etc", file.text, alone=True)
        assert file.text.splitlines()[-1] == f"NCCL_IB_HCA={hcas}"
        assert file.text.count("\n") == len(file.text.splitlines()) > 1


def test_a_file_is_brought_by_a_config_map():
    """Ready to be applied."""
    assert ConfigFile("c", "f.xml", "/etc", "text").manifest("team") == {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "team"},
        "data": {"f.xml": "text"},
    }  # fmt: skip


def test_a_mount_may_be_written_unless_it_says_not():
    """As Kubernetes has it."""
    assert HostMount("a", "/a", "/b").read_only is False
