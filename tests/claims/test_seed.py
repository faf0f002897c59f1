"""The claims of the source document (GKE with NVIDIA DRA and DraNet, June 2025) fail as it says, and ours do not."""

from dataclasses import replace

import pytest
from rdma_cluster.claims import Constraint, Gpus, Pairs, Request, Target, Template, solve
from rdma_cluster.claims.allocator import NoFit, allocate
from rdma_cluster.claims.cel import CelError
from rdma_cluster.claims.device import Device
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.claims.target import PCIE_ROOT
from tests.claims.nodes import A4, names

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


def node(target: Target) -> tuple[Device, ...]:
    """Return the devices of an A4 node."""
    return tuple(device for each in resource_slices(A4, target) for device in each.devices)


def test_the_last_release_with_an_index_has_no_root():
    """No release publishes both attributes that the aligned claim needs."""
    target = Target(nvidia="25.3.2")

    assert names(allocate((TWO_GPU,), node(target), target.classes)) == ["gpu-0", "gpu-1"]
    assert isinstance(allocate((ALIGNED,), node(target), target.classes), NoFit)


@pytest.mark.parametrize("nvidia", ["25.8.0", "25.12.0", "0.4.0", "0.5.0"])
@pytest.mark.parametrize("template", [TWO_GPU, ALIGNED])
def test_a_claim_that_reads_the_index_aborts_the_pod(template: Template, nvidia: str):
    """The attribute ended with NVIDIA's driver 25.8.0."""
    target = Target(nvidia=nvidia)
    with pytest.raises(CelError, match="index"):
        allocate((template,), node(target), target.classes)


def unreleased(roots: dict[str, str] | None = None) -> tuple[Device, ...]:
    """Return the devices as the document's build showed them: with roots, and with the index not yet removed."""
    devices = []
    for device in node(Target()):
        attributes = dict(device.attributes)
        if device.driver == "gpu.nvidia.com":
            attributes["gpu.nvidia.com/index"] = int(device.name.removeprefix("gpu-"))
        if PCIE_ROOT in attributes:
            attributes[PCIE_ROOT] = (roots or {}).get(device.name, attributes[PCIE_ROOT])
        devices.append(replace(device, attributes=attributes))
    return tuple(devices)


def test_the_aligned_claim_worked_by_luck():
    """A root of A4 holds two GPUs and two NICs; on machines with one of each, or for four, the claim never fits."""
    single = {f"{kind}-{i}": f"pci{i:04x}:00" for kind in ("gpu", "rail") for i in range(8)}
    four = tuple(replace(request, count=4, selectors=()) for request in ALIGNED.requests)
    classes = Target().classes

    assert names(allocate((ALIGNED,), unreleased(), classes)) == ["gpu-0", "gpu-1", "rail-0", "rail-1"]
    assert isinstance(allocate((ALIGNED,), unreleased(single), classes), NoFit)
    assert isinstance(allocate((replace(ALIGNED, requests=four),), unreleased(), classes), NoFit)


@pytest.mark.parametrize("nvidia", ["25.3.2", "25.8.0", "0.5.0"])
def test_two_gpus_need_no_index(nvidia: str):
    """NVLink joins all GPUs of a node, so that any two will do and four pods fill the node."""
    solution = solve(A4, Gpus(2), Target(nvidia=nvidia))

    assert solution.copies == 4 and not [name for name in solution.idle if name.startswith("gpu-")]


@pytest.mark.parametrize("k", [2, 4, 8])
def test_our_aligned_claim_grows_to_the_whole_node(k: int):
    (allocation,) = solve(A4, Pairs(k), Target()).alone

    assert {device.name for device in allocation.all()} == {f"{kind}-{i}" for i in range(k) for kind in ("gpu", "rail")}
