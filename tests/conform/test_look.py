"""What the pod of `conform` reads of a node's /sys, on trees as Linux has them and on this machine."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rdma_agent.conform import look as module
from rdma_agent.conform.look import look
from rdma_cluster.conform.pod import pod


@pytest.fixture
def node(tmp_path: Path) -> tuple[Path, Path]:
    """A GPU and a ConnectX behind one root, a NIC of Azure in a domain of its own whose link is down, and a disk."""
    sys_, proc = tmp_path / "sys", tmp_path / "proc"
    (sys_ / "bus/pci/devices").mkdir(parents=True)

    def device(path: str, files: dict[str, str]) -> None:
        folder = sys_ / "devices" / path
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text + "\n")
        (sys_ / "bus/pci/devices" / folder.name).symlink_to(folder)

    port = {"ports/1/rate": "400 Gb/sec (4X NDR)", "ports/1/state": "4: ACTIVE", "fw_ver": "28.42.1000"}
    rdma = {f"infiniband/mlx5_0/{name}": text for name, text in port.items()}
    net = {"net/gpu0rdma0/mtu": "8896", "net/gpu0rdma0/operstate": "up", "net/gpu0rdma0/address": "aa:bb:cc:dd:ee:01"}
    gpu = {"class": "0x030200", "vendor": "0x10de", "device": "0x2901", "numa_node": "0"}
    nic = {"class": "0x020000", "vendor": "0x15b3", "device": "0x1021", "numa_node": "0", **rdma, **net}
    azure = {"class": "0x020700", "vendor": "0x15b3", "device": "0x101e", "numa_node": "-1"}
    azure |= {"infiniband/mlx5_ib0/ports/1/state": "1: DOWN", "infiniband/mlx5_ib0/ports/1/rate": "10 Gb/sec (4X SDR)"}
    device("pci0000:8c/0000:8c:01.0/0000:8f:00.0", gpu)
    device("pci0000:8c/0000:8c:01.1/0000:91:00.0", nic)
    guid = "8e1f0c2a-1111-2222-3333-444455556666"
    device(f"LNXSYSTM:00/VMBUS:00/{guid}/pci0101:00/0101:00:00.0", azure)
    device("pci0000:00/0000:00:04.0", {"class": "0x010802", "vendor": "0x1d0f", "device": "0x8061"})
    information = proc / "driver/nvidia/gpus/0000:8f:00.0/information"
    information.parent.mkdir(parents=True)
    information.write_text(f"Model: \t\t NVIDIA B200\nGPU UUID: \t GPU-{guid}\n")
    (proc / "driver/nvidia/version").write_text(
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.126.20  x\n"
    )
    (proc / "cmdline").write_text("root=UUID=1 iommu=pt hostname=acme pci=nomsi quiet\n")
    (proc / "sys/vm").mkdir(parents=True)
    (proc / "sys/vm/nr_hugepages").write_text("0\n")
    return sys_, proc


def test_devices_are_told_with_their_places_their_names_and_their_links(node: tuple[Path, Path]):
    """Nothing is told of the owner's addresses and ids."""
    told: dict[str, Any] = look(*node)

    assert told["gpus"] == [{"pci": "0000:8f:00.0", "root": "pci0000:8c", "numa": 0, "model": "NVIDIA B200"}]
    first, second = told["nics"]
    assert first == {
        "pci": "0000:91:00.0", "root": "pci0000:8c", "numa": 0, "id": "15b3:1021", "interface": "gpu0rdma0",
        "mtu_bytes": 8896, "active": True, "rdma": "mlx5_0", "firmware": "28.42.1000", "gbps": 400,
    }  # fmt: skip
    assert second == {
        "pci": "0101:00:00.0", "root": "pci0101:00", "id": "15b3:101e", "rdma": "mlx5_ib0", "gbps": 10, "active": False,
    }  # fmt: skip
    assert told["driver"] == "580.126.20"
    assert told["parameters"] == {"iommu": "pt", "pci": "nomsi", "nr_hugepages": "0"}
    assert not any(word in json.dumps(told) for word in ("acme", "aa:bb", "8e1f0c2a", "UUID"))


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023", "535.129.03"),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.95.05  Release Build", "580.95.05"),
    ],
)
def test_the_driver_is_read_of_the_closed_and_of_the_open_module(line: str, version: str, tmp_path: Path):
    (tmp_path / "driver/nvidia").mkdir(parents=True)
    (tmp_path / "driver/nvidia/version").write_text(f"{line}\nGCC version: gcc version 12.2.0\n")

    assert look(tmp_path, tmp_path)["driver"] == version


def test_it_runs_alone_on_this_machine():
    """The pod starts its text with an interpreter alone; here the /sys is real."""
    text = Path(module.__file__).read_text()
    done = subprocess.run(
        [sys.executable, "-E", "-S", "-c", text, "--sys", "/sys"], capture_output=True, text=True, cwd="/"
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout).keys() >= {"gpus", "nics", "parameters"}


def test_of_a_node_without_sys_and_driver_nothing_is_told(tmp_path: Path):
    assert look(tmp_path / "sys", tmp_path / "proc") == {"gpus": [], "nics": [], "parameters": {}}


def test_its_pod_can_change_nothing():
    """No folder is open to writing, and the pod has no token."""
    spec = pod("look", "n1", "registry.example/python:3")["spec"]

    assert spec["automountServiceAccountToken"] is False
    for container in spec["containers"]:
        assert all(mount["readOnly"] is True for mount in container["volumeMounts"])
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
