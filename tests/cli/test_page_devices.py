"""The card of a GPU, a NIC and a rail: every fact that the plan has of the device, and none of another."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from rdma_cluster.catalog.machine import PcieRoot
from rdma_cluster.cli.page.devices import gpu, nic, nic_name, rail, rail_facts, with_network
from tests.cli.drawn import use

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


@pytest.mark.parametrize(
    ("index", "place", "templates"),
    [(1, {"PCIe root": "0 (pci0)", "NUMA": 1}, "low, gpus"), (2, {"PCIe root": 1, "NUMA": None}, "high, gpus")],
)
def test_the_card_of_a_gpu_has_its_place_its_rails_and_its_templates(index: int, place: dict[str, Any], templates: str):
    facts = gpu(index, USE, [{"rail": 0}, {"rail": 1}]).facts

    assert facts["model"] == "NVIDIA B200" and facts["PCI address"] == f"g{index}"
    assert {key: facts[key] for key in place} == place
    assert (facts["rails"], facts["templates"], facts["asked for by"]) == ("0, 1", templates, "DeviceClass gpu")


def test_the_card_of_a_gpu_leaves_open_what_nobody_published():
    bare = use("a4-highgpu-8g", roots=None, gpu_pci=None, gpu=None)
    facts = gpu(0, bare, ()).facts

    assert {facts[key] for key in ("model", "memory", "PCI address")} == {None} and "NUMA" not in facts


def test_the_card_of_a_nic_has_its_own_columns_and_those_of_its_rail():
    row = {"rail": 1, "gpu": "2, 3", "root": 1, "numa": 5, "nic": "n1", "nic_pci": "0:1", "mlx_name": "m"}
    row |= {"subnet": "s", "cidr": "10.0.0.0/24", "network": "net", "mtu": 9}
    part = nic(row, USE)
    own = {"nic": "n1", "PCI address": "0:1", "mlx name": "m", "PCIe root": 1, "NUMA": 5, "near": "GPU 2, 3"}

    assert part.facts | own | {"CIDR": "10.0.0.0/24", "MTU": 9, "templates": "high, nics"} == part.facts
    assert rail(row, USE).facts.items() <= part.facts.items()
    assert nic({"rail": 0, "gpu": "-"}, USE).facts["near"] is None


@pytest.mark.parametrize(
    ("machine", "reaches"), [("a4-highgpu-8g", "the same rail of other nodes"), ("p5.48xlarge", "every NIC of other")]
)
def test_a_rail_says_whom_it_reaches(machine: str, reaches: str):
    facts = rail_facts({}, use(machine, nic_gbps=None))

    assert str(facts["reaches"]).startswith(reaches) and facts["line rate"] == "not published"


@pytest.mark.parametrize(
    ("row", "name"),
    [({"nic": "mlx5_0", "card": 3}, "mlx5_0"), ({"nic": "-", "card": 0}, "card 0"), ({"nic": "-"}, "NIC")],
)
def test_a_nic_without_a_name_is_called_by_its_card(row: dict[str, Any], name: str):
    assert nic_name(row) == name


def test_a_rail_takes_what_its_subnet_tells_but_keeps_its_own_block():
    subnets = [{"subnet": "s", "cidr": "a", "mtu": 1}, {"subnet": "t", "cidr": "b", "mtu": 2}]
    rows = [{"rail": 0, "subnet": "t", "cidr": "c"}, {"rail": 1}, {"rail": 2, "subnet": "u"}]

    assert with_network(rows, subnets) == [{"rail": 0, "subnet": "t", "cidr": "c", "mtu": 2}, *rows[1:]]
