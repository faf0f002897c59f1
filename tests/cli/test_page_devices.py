"""What the card of a GPU, a NIC and a rail shows: every fact that the plan has of it, and nothing of another."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from rdma_cluster.catalog.machine import PcieRoot
from rdma_cluster.cli.page.devices import gpu, gpus_of, nic, nic_name, rail, rail_facts, with_network
from tests.cli.test_page_drawings import use

ROOTS = (PcieRoot("pci0", 1, (0, 1), (0,)), PcieRoot(None, None, (2, 3), (1,)))


def template(name: str, *classes: str) -> Any:
    """A claim template that asks for a device of each class."""
    return SimpleNamespace(name=name, requests=[SimpleNamespace(device_class=each) for each in classes])


OFFERS: Any = (
    SimpleNamespace(windows=[[template("low", "gpu", "nic")], [template("high", "nic", "gpu")]]),
    SimpleNamespace(windows=[[template("gpus", "gpu"), template("nics", "nic"), template("other", "disk")]]),
)
USE = replace(
    use("a4-highgpu-8g", gpus=4, nics=2, roots=ROOTS, gpu_pci=("g0", "g1", "g2", "g3")),
    gpu_by="DeviceClass gpu", nic_by="DeviceClass nic", offers=OFFERS,
)  # fmt: skip
RAIL = {"transport": "gIB", "line rate": "400 Gb/s", "reaches": "the same rail of other nodes"}


@pytest.mark.parametrize(
    ("index", "place", "rails", "templates"),
    [
        (0, {"PCIe root": "0 (pci0)", "NUMA": 1}, (), "low, gpus"),
        (1, {"PCIe root": "0 (pci0)", "NUMA": 1}, (0,), "low, gpus"),
        (2, {"PCIe root": 1, "NUMA": None}, (0, 1), "high, gpus"),
        (3, {"PCIe root": 1, "NUMA": None}, (1,), "high, gpus"),
    ],
)
def test_a_gpu(index: int, place: dict[str, Any], rails: tuple[int, ...], templates: str):
    """Its model, its place on the bus, its rails, and which templates of which window ask for it."""
    part = gpu(index, USE, [{"rail": each} for each in rails])

    assert (part.kind, part.key, part.name) == ("gpu", f"a4-highgpu-8g-gpu-{index}", f"GPU {index}")
    assert part.facts == {
        "model": "NVIDIA B200", "memory": "180 GiB", "PCI address": f"g{index}", **place,
        "rails": ", ".join(map(str, rails)), "asked for by": "DeviceClass gpu", "templates": templates,
    }  # fmt: skip


def test_what_nobody_published_of_a_gpu():
    """Is left open; and so is its place."""
    assert USE.machine.gpu is not None
    bare = use("a4-highgpu-8g", roots=None, gpu_pci=None, gpu=replace(USE.machine.gpu, memory_gib=None))
    expected = {"model": "NVIDIA B200", "memory": None, "PCI address": None, "rails": "", "asked for by": "gpus",
                "templates": ""}  # fmt: skip

    assert gpu(0, bare, ()).facts == expected
    assert gpu(0, replace(bare, machine=replace(bare.machine, gpu=None)), ()).facts == {**expected, "model": None}


def test_a_nic():
    """Its own columns by their names, its place, the rail's addresses, and who asks for it."""
    row = {
        "rail": 1, "gpu": "2, 3", "gpu_pci": "x", "root": 1, "numa": 5, "nic": "n1", "nic_pci": "0:1", "mlx_name": "m",
        "subnet": "s", "cidr": "10.0.0.0/24", "network": "net", "mtu": 9,
    }  # fmt: skip
    addresses = {"subnet": "s", "CIDR": "10.0.0.0/24", "network": "net", "MTU": 9}
    part = nic(row, USE)

    assert (part.kind, part.key, part.name) == ("nic", "a4-highgpu-8g-nic-1", "n1")
    assert part.facts == {
        "nic": "n1", "PCI address": "0:1", "mlx name": "m", "PCIe root": 1, "NUMA": 5, "near": "GPU 2, 3", "rail": 1,
        **addresses, **RAIL, "asked for by": "DeviceClass nic", "templates": "high, nics",
    }  # fmt: skip
    other = nic({"rail": 0, "gpu": "-"}, USE)
    assert (other.facts["PCIe root"], other.facts["near"], other.facts["NUMA"]) == ("0 (pci0)", None, None)
    assert other.facts["templates"] == "low, nics"
    line = rail(row, USE)
    assert (line.kind, line.key, line.name) == ("rail", "a4-highgpu-8g-rail-1", "rail 1")
    assert line.facts == {**addresses, **RAIL} == rail_facts(row, USE)


def test_who_reaches_whom():
    """A fabric whose rails are no networks of their own; a rate that nobody published."""
    facts = rail_facts({}, use("p5.48xlarge", nic_gbps=None))

    assert facts == {"subnet": None, "CIDR": None, "network": None, "MTU": None, "transport": "EFA",
                     "line rate": "not published", "reaches": "every NIC of other nodes"}  # fmt: skip


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ({"nic": "mlx5_0", "card": 3}, "mlx5_0"),
        ({"nic": "-", "card": 3}, "card 3"),
        ({"card": 0}, "card 0"),
        ({"nic": "-"}, "NIC"),
        ({}, "NIC"),
    ],
)
def test_a_nic_has_a_name(row: dict[str, Any], name: str):
    """Its own, else its card's."""
    assert nic_name(row) == name


def test_rows_of_rails():
    """The GPUs that one is near; what its subnet tells, but no other subnet."""
    assert [gpus_of({"gpu": gpus}) for gpus in ("-", 3, "0, 12")] == [[], [3], [0, 12]]
    subnets = [{"subnet": "s", "cidr": "a", "mtu": 1}, {"subnet": "t", "cidr": "b", "mtu": 2}]
    rows = [{"rail": 0, "subnet": "t", "cidr": "c"}, {"rail": 1}, {"rail": 2, "subnet": "u"}]
    assert with_network(rows, subnets) == [{"rail": 0, "subnet": "t", "cidr": "c", "mtu": 2}, *rows[1:]]
