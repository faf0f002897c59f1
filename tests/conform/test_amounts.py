"""What a node offers to pods by count, at the edge of what is enough; and what nobody looked at."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.claims import Target
from rdma_cluster.conform.judge import unseen
from rdma_cluster.conform.snapshot import FORM
from rdma_cluster.fabrics import FABRICS, ExtendedResource, GpuAllocation
from tests.conform.pools import NODE, POOL, TAINT, judged, machine, promised, told


@pytest.mark.parametrize(
    ("allocation", "amounts", "expected"),
    [
        (GpuAllocation.DEVICE_PLUGIN, {TAINT: "8"}, []),
        (GpuAllocation.DEVICE_PLUGIN, {TAINT: "7"}, [("gpus offered", TAINT, "8", "7")]),
        (GpuAllocation.DEVICE_PLUGIN, {}, [("gpus offered", TAINT, "8", "0")]),
        (GpuAllocation.DEVICE_PLUGIN, None, []),
        (GpuAllocation.DRA, {TAINT: "1"}, [("gpus offered twice", TAINT, "0", "1")]),
        (GpuAllocation.DRA, {TAINT: "0"}, []),
        (GpuAllocation.DRA, {}, []),
    ],
)
def test_gpus_have_one_owner(allocation: GpuAllocation, amounts: dict[str, str] | None, expected: list[Any]):
    """A device plugin offers all of them, and beside claims none."""
    node = {**NODE, **({} if amounts is None else {"allocatable": amounts})}

    assert told(judged(promised(replace(POOL, allocation=allocation)), node)) == expected


def with_nics(**changes: Any) -> Any:
    """A pool whose NICs a device plugin offers by count: 32 of EFA."""
    fabric = FABRICS["efa-device-plugin"]
    assert isinstance(fabric.nic_attachment, ExtendedResource)
    nics = replace(fabric.nic_attachment, **changes)
    row = machine("p5.48xlarge")
    return replace(POOL, machine=row, fabric=replace(fabric, nic_attachment=nics))


@pytest.mark.parametrize(
    ("full_node", "offered", "least"),
    [(False, "32", None), (False, "31", "32"), (True, "1", None), (True, "0", "1"), (True, None, "1")],
)
def test_nics_are_offered_all_or_one_for_all(full_node: bool, offered: str | None, least: str | None):
    """Where one of them stands for the whole node, one is enough."""
    amounts = {TAINT: "8", **({} if offered is None else {"vpc.amazonaws.com/efa": offered})}
    node = {"pool": 0, "machine": "p5.48xlarge", "allocatable": amounts}

    found = judged(promised(with_nics(full_node=full_node)), node)

    expected = [] if least is None else [("nics offered", "vpc.amazonaws.com/efa", least, offered or "0")]
    assert told(found) == expected


@pytest.mark.parametrize(
    ("least", "offered", "enough"),
    [
        ("5Gi", "5120Mi", True),
        ("5Gi", "5119Mi", False),
        ("1Ti", "1024Gi", True),
        ("1Mi", "1023Ki", False),
        ("1Mi", "1024Ki", True),
        ("1G", "1000M", True),
        ("1M", "999k", False),
        ("1M", "1000k", True),
        ("2k", "1999", False),
        ("2k", "2000", True),
        ("1", "999m", False),
        ("1", "1000m", True),
        ("1Ki", "1k", False),
        ("1", "1.5", False),
        ("1", "1E", False),
        ("0", None, True),
        ("1", None, False),
    ],
)
def test_amounts_as_kubernetes_writes_them(least: str, offered: str | None, enough: bool):
    """Thousandths, and multiples of 1000 and of 1024; a text of another form is nothing."""
    amounts = {TAINT: "8", "vpc.amazonaws.com/efa": "32", **({} if offered is None else {"hugepages-2Mi": offered})}
    node = {"pool": 0, "machine": "p5.48xlarge", "allocatable": amounts}

    found = judged(promised(with_nics(beside={"hugepages-2Mi": least})), node)

    assert told(found) == ([] if enough else [("offered beside", "hugepages-2Mi", least, offered or "0")])


LOOKED = {**NODE, "nics": [{"rdma": "mlx5_0", "mtu_bytes": 8896}], "devices": []}
"""A pod saw it, and drivers publish nothing of it."""
TREE = "pool a: PCI tree, NUMA nodes, rates and firmware of its NICs"
MTU = "pool a: MTU of the rails"
SLICES = "pool a: what drivers publish of some nodes, and so whether claims fit"
CLUSTER = ["kubernetes of the cluster", "daemons of the cluster", "templates of the cluster"]


@pytest.mark.parametrize(
    ("claims", "nodes", "expected"),
    [
        (False, [LOOKED], []),
        (False, [NODE], [TREE, MTU]),
        (False, [NODE, LOOKED], []),
        (False, [{**NODE, "nics": [{"rdma": "mlx5_0"}]}], [MTU]),
        (False, [{**LOOKED, "pool": 1}], []),
        (True, [LOOKED], []),
        (True, [LOOKED, NODE], [SLICES]),
        (True, [NODE], [TREE, SLICES, MTU]),
    ],
)
def test_what_nobody_looked_at(claims: bool, nodes: list[Any], expected: list[str]):
    """One node that a pod saw stands for its pool; claims are judged on each."""
    pool = replace(POOL, target=Target() if claims else None)
    whole: Any = {"form": FORM, "nodes": nodes, "kubernetes": "1.35", "daemons": [], "templates": []}

    assert unseen(whole, promised(pool)) == expected
    without = promised(replace(pool, machine=machine("p5.48xlarge")))  # where nobody published an MTU
    assert unseen(whole, without) == [each for each in expected if each != MTU]


def test_lists_that_nobody_read():
    """Are told, each by its name."""
    whole: Any = {"form": FORM, "nodes": [], "kubernetes": "1.35", "daemons": [], "templates": []}
    bare: Any = {"form": FORM, "nodes": []}

    assert unseen(bare, promised()) == CLUSTER
    assert unseen(whole, promised()) == []
