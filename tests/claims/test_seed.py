"""The claims of the source document (GKE with NVIDIA DRA and DraNet, June 2025): what they ask and why they fail."""

from dataclasses import replace

import pytest
from rdma_cluster.catalog import machines
from rdma_cluster.claims import Constraint, Gpus, Pairs, Request, Target, Template, solve
from rdma_cluster.claims.allocator import Allocation, NoFit, allocate
from rdma_cluster.claims.cel import CelError
from rdma_cluster.claims.device import Device
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.claims.target import PCIE_ROOT

A4 = next(row for row in machines() if row.name == "a4-highgpu-8g")
RDMA = 'device.attributes["dra.net"].rdma == true'

TWO_GPU = Template("2-gpu", (Request("gpu", "gpu.nvidia.com", 2, ('device.attributes["gpu.nvidia.com"].index < 2',)),))
ALIGNED = Template(
    "2-gpu-nic-aligned",
    (
        Request("gpu", "gpu.nvidia.com", 2, ('device.attributes["gpu.nvidia.com"].index <= 2',)),
        Request("nic", "dranet", 2, (RDMA,)),
    ),
    (Constraint(PCIE_ROOT),),
)
RELEASES = ("25.3.2", "25.8.0", "25.8.1", "25.12.0", "0.4.0", "0.4.1", "0.5.0")


def node(target: Target) -> tuple[Device, ...]:
    """The devices of an A4 node."""
    return tuple(device for each in resource_slices(A4, target) for device in each.devices)


def answer(template: Template, nvidia: str) -> Allocation | NoFit | CelError:
    """What the scheduler would say under a version of NVIDIA's driver."""
    target = Target(nvidia=nvidia)
    try:
        return allocate((template,), node(target), target.classes)
    except CelError as error:
        return error


@pytest.mark.parametrize("nvidia", RELEASES)
def test_index_is_gone(nvidia: str) -> None:
    """`2-gpu` reads `index`, which ends with v25.8.0: from then on the read is an error that aborts the pod."""
    result = answer(TWO_GPU, nvidia)
    if nvidia == "25.3.2":
        assert isinstance(result, Allocation)
        assert [device.name for device in result.all()] == ["gpu-0", "gpu-1"]
    else:
        assert isinstance(result, CelError)
        assert "index" in str(result)


@pytest.mark.parametrize("nvidia", RELEASES)
def test_no_release_satisfies_the_aligned_claim(nvidia: str) -> None:
    """It needs `index` and `pcieRoot` at once, and no release publishes both."""
    result = answer(ALIGNED, nvidia)
    if nvidia == "25.3.2":
        assert isinstance(result, NoFit)
        assert "constraints" in result.reason
    else:
        assert isinstance(result, CelError)


@pytest.mark.parametrize("nvidia", RELEASES)
def test_two_gpus_alone_are_offered(nvidia: str) -> None:
    """What `2-gpu` means needs no `index`: any two, since NVLink joins all of a node. Four pods fill it."""
    solution = solve(A4, Gpus(2), Target(nvidia=nvidia))

    assert solution.copies == 4 and not [name for name in solution.idle if name.startswith("gpu-")]
    assert [template.name for template in solution.templates] == ["a4-highgpu-8g-gpus-2"]


def unreleased(rename_root: dict[str, str] | None = None) -> tuple[Device, ...]:
    """The build that the document used: pcieRoot was merged and index not yet removed."""
    rename_root = rename_root or {}
    devices = []
    for device in node(Target()):
        attributes = dict(device.attributes)
        if device.driver == "gpu.nvidia.com":
            attributes["gpu.nvidia.com/index"] = int(device.name.removeprefix("gpu-"))
        if PCIE_ROOT in attributes:
            attributes[PCIE_ROOT] = rename_root.get(device.name, attributes[PCIE_ROOT])
        devices.append(replace(device, attributes=attributes))
    return tuple(devices)


def test_it_worked_by_luck() -> None:
    """All four devices must share a root. A4 has 2 + 2 on each, so `<= 2`, which lets in GPU 2, does no harm there."""
    result = allocate((ALIGNED,), unreleased(), Target().classes)
    assert isinstance(result, Allocation)
    assert [device.name for device in result.all()] == ["gpu-0", "gpu-1", "rail-0", "rail-1"]


def test_it_fails_elsewhere() -> None:
    """With one GPU and one NIC a root, as on most machines, the same claim never fits; pairs do."""
    single = {f"{kind}-{i}": f"pci{i:04x}:00" for kind in ("gpu", "rail") for i in range(8)}
    assert isinstance(allocate((ALIGNED,), unreleased(single), Target().classes), NoFit)


def test_it_cannot_grow() -> None:
    """4 + 4 under one matchAttribute is impossible on A4: its root holds 2 + 2."""
    requests = (Request("gpu", "gpu.nvidia.com", 4), Request("nic", "dranet", 4, (RDMA,)))
    result = allocate((Template("4-aligned", requests, (Constraint(PCIE_ROOT),)),), unreleased(), Target().classes)
    assert isinstance(result, NoFit)


@pytest.mark.parametrize("k", [2, 4, 8])
def test_our_form(k: int) -> None:
    """Two pairs on rails 0 and 1 is what the document meant; it grows to the whole node."""
    (allocation,) = solve(A4, Pairs(k), Target()).alone
    assert {device.name for device in allocation.all()} == {f"{kind}-{i}" for i in range(k) for kind in ("gpu", "rail")}
