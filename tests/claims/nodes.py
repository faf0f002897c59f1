"""Machines of the catalogue, and nodes with few devices, that the tests of claims share."""

from dataclasses import replace

from rdma_cluster.claims import Constraint, Request, Template
from rdma_cluster.claims.allocator import Allocation, NoFit
from rdma_cluster.claims.device import Device, Value
from rdma_cluster.claims.target import PCIE_ROOT
from rdma_cluster.fabrics import NIC_DRIVERS
from tests.machines import known_machine

A4, P5, H100_V5 = map(known_machine, ("a4-highgpu-8g", "p5.48xlarge", "Standard_ND96isr_H100_v5"))
P4D = known_machine("p4d.24xlarge")
NO_ROOTS = replace(known_machine("BM.GPU.B300.8"), roots=None)
AZURE, OF_GKE = NIC_DRIVERS["dranet-infiniband"], NIC_DRIVERS["gke-managed"]

CLASSES = {"gpu": 'device.driver == "gpu"', "nic": 'device.driver == "nic"'}
PAIR = Template("pair", (Request("gpu", "gpu"), Request("nic", "nic")), (Constraint(PCIE_ROOT, ("gpu", "nic")),))
"""A claim of a GPU and a NIC behind one root."""


def device(driver: str, name: str, root: Value | None = None, **more: Value) -> Device:
    """Make a device with a root, or without one."""
    roots = {} if root is None else {PCIE_ROOT: root}
    return Device(driver, name, {**roots, **{f"{driver}/{key}": value for key, value in more.items()}})


def names(result: Allocation | NoFit) -> list[str]:
    """Return the names of the devices that were given, in the order of the requests."""
    assert isinstance(result, Allocation), result
    return [device.name for device in result.all()]


def refused(result: Allocation | NoFit) -> str:
    """Return the reason why nothing was given."""
    assert isinstance(result, NoFit), result
    return result.reason
