"""What a fabric adds to a pod: rights, memory and variables, a daemon beside it, and files of a cloud."""

import pytest
from rdma_cluster.catalog.aks import AksMachine
from rdma_cluster.catalog.machine import Transport
from rdma_cluster.fabrics import FABRICS, ConfigFile, Fabric, HostMount, HostPlugin
from rdma_cluster.fabrics.infiniband import Tuning
from tests.machines import known_machine

OF_FABRICS = pytest.mark.parametrize("fabric", FABRICS.values(), ids=lambda fabric: fabric.name)


@OF_FABRICS
def test_a_pod_locks_memory_and_is_privileged_in_the_hosts_network_alone(fabric: Fabric) -> None:
    """TCPXO's daemon does what else would need the right; NCCL shares memory between GPUs in /dev/shm."""
    patch = fabric.pod_patch

    assert patch.capabilities == (() if fabric.transport is Transport.TCPXO else ("IPC_LOCK",))
    assert patch.privileged is (fabric.name == "roce-host")
    assert patch.shared_memory.endswith("Gi")


@pytest.mark.parametrize(
    ("transport", "variable", "value"),
    [
        (Transport.GIB, "NCCL_NET", "gIB"),
        (Transport.EFA, "NCCL_NET", "Libfabric"),
        (Transport.TCPX, "NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX", "/run/tcpx"),
    ],
)
def test_nccl_is_told_its_plugin_or_the_socket_of_its_daemon(transport: Transport, variable: str, value: str) -> None:
    assert {f.pod_patch.env.get(variable) for f in FABRICS.values() if f.transport is transport} == {value}


@pytest.mark.parametrize(
    ("name", "device", "ready"),
    [
        ("tcpx", "/dev/nvidia-uvm", "/run/tcpx/rx_rule_manager"),
        ("tcpxo", "/dev/dmabuf_import_helper", "/run/health-check"),
    ],
)
def test_a_daemon_beside_the_pod_has_the_gpus_and_says_when_it_serves(name: str, device: str, ready: str) -> None:
    """It alone may change the network; what it serves by is mounted into both."""
    patch = FABRICS[name].pod_patch
    (daemon,) = patch.sidecars
    devices = patch.annotations[f"devices.gke.io/container.{daemon.name}"]

    assert "NET_ADMIN" in daemon.capabilities
    assert daemon.ready[-1] == ready and daemon.ready_seconds >= 60
    assert f"- path: {device}\n" in devices
    assert all(f"- path: /dev/nvidia{gpu}\n" in devices for gpu in range(8))
    assert {"/hostsysfs", "/hostprocsysfs"} <= {mount.mount_path for mount in daemon.mounts}
    if name == "tcpx":
        assert {"/run/tcpx"} <= {mount.mount_path for mount in daemon.mounts} & {
            mount.mount_path for mount in patch.mounts
        }
    else:
        assert daemon.env["HEALTH_CHECK_LOG_FILE"] == ready


def test_proofs_are_made_again_for_what_is_no_part_of_the_tests_image() -> None:
    """Daemons of hosts, and operators."""
    assert {name for name, fabric in FABRICS.items() if fabric.plugin.beside} == {"gib-metal", "tcpx", "tcpxo"}
    for name, fabric in FABRICS.items():
        told = " ".join(fabric.acceptance.also)
        assert all(daemon.name in told for daemon in fabric.plugin.beside)
        assert ("network-operator" in told) is name.startswith("infiniband-rdma-")


@OF_FABRICS
def test_every_way_to_a_transports_nics_prints_and_proves_the_same(fabric: Fabric) -> None:
    like = next(each for each in FABRICS.values() if each.transport is fabric.transport)

    for of in ("network", "launcher", "check_of_node"):
        assert getattr(fabric.acceptance, of) == getattr(like.acceptance, of)
    assert (fabric.pci_names, fabric.counters) == (like.pci_names, like.counters)
    assert len({each.architecture for each in fabric.acceptance.tests}) == len(fabric.acceptance.tests) > 0


def test_a_plugin_is_brought_by_the_host_or_by_the_image() -> None:
    """InfiniBand and RoCE need none beside NCCL's own."""
    by_host = {fabric.transport for fabric in FABRICS.values() if isinstance(fabric.plugin, HostPlugin)}
    named = {fabric.transport for fabric in FABRICS.values() if fabric.plugin.name}

    assert by_host == {Transport.GIB, Transport.TCPX, Transport.TCPXO}
    assert named - by_host == {Transport.EFA}
    assert not isinstance(FABRICS["gib-metal"].plugin, HostPlugin)


def test_switches_of_azure_reduce_where_they_are_asked_to() -> None:
    """A rack has none to ask; each size has a topology of its own, and a rack needs none."""
    h100, rack = known_machine("Standard_ND96isr_H100_v5"), known_machine("Standard_ND128isr_NDR_GB200_v6")
    assert isinstance(h100, AksMachine)
    assert isinstance(rack, AksMachine)
    plain, sharp = Tuning()(h100), Tuning(sharp=True)(h100)
    (file,) = plain.files

    assert plain.env["NCCL_TOPO_FILE"] == f"{file.folder}/{file.name}"
    assert sharp.env.items() > plain.env.items() > h100.nccl.items()
    assert sharp.env["NCCL_COLLNET_ENABLE"] == "1"
    assert Tuning(sharp=True)(rack).env == Tuning()(rack).env == rack.nccl
    assert FABRICS["infiniband"].pod_patch_on(h100) == plain


def test_nodes_that_let_every_container_lock_memory_need_no_capability() -> None:
    h100 = known_machine("Standard_ND96isr_H100_v5")
    assert (Tuning()(h100).capabilities, Tuning(locks_memory=False)(h100).capabilities) == (("IPC_LOCK",), ())


def test_a_pod_is_patched_alike_where_no_machine_is_tuned() -> None:
    assert FABRICS["infiniband"].pod_patch_on(None) == FABRICS["infiniband"].pod_patch
    assert FABRICS["gib"].pod_patch_on(known_machine("Standard_ND96isr_H100_v5")) == FABRICS["gib"].pod_patch


def test_oracles_parameters_name_the_rails_in_the_hosts_network() -> None:
    """The file stands alone in /etc, beside others; a pod with NICs of its own sees no other."""
    h100 = known_machine("BM.GPU.H100.8")
    for name, hcas in (
        ("roce-host", f"={','.join(h100.rdma_names or ())}"),
        ("roce", "mlx5"),
        ("roce-mlnxnics", "mlx5"),
    ):
        (file,) = FABRICS[name].pod_patch_on(h100).files
        assert (f"{file.folder}/{file.name}", file.alone) == ("/etc/nccl.conf", True)
        assert file.text.splitlines()[-1] == f"NCCL_IB_HCA={hcas}"
        assert file.text.endswith("\n")


def test_a_file_is_brought_by_a_config_map_that_is_ready_to_be_applied() -> None:
    manifest = ConfigFile("c", "f.xml", "/etc", "text").manifest("team")

    assert (manifest["kind"], manifest["metadata"]) == ("ConfigMap", {"name": "c", "namespace": "team"})
    assert manifest["data"] == {"f.xml": "text"}


def test_a_mount_may_be_written_unless_it_says_not() -> None:
    assert HostMount("a", "/a", "/b").read_only is False
