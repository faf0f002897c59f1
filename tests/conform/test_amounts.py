"""What a node offers to pods by count, at the edge of what is enough."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.fabrics import FABRICS, ExtendedResource, GpuAllocation
from tests.conform.pools import NODE, POOL, TAINT, judged, machine, promised, told

EFA = "vpc.amazonaws.com/efa"


@pytest.mark.parametrize(
    ("allocation", "offered", "expected"),
    [
        (GpuAllocation.DEVICE_PLUGIN, {TAINT: "8"}, []),
        (GpuAllocation.DEVICE_PLUGIN, {TAINT: "7"}, [("gpus offered", TAINT, "8", "7")]),
        (GpuAllocation.DEVICE_PLUGIN, {}, [("gpus offered", TAINT, "8", "0")]),
        (GpuAllocation.DEVICE_PLUGIN, None, []),
        (GpuAllocation.DRA, {TAINT: "1"}, [("gpus offered twice", TAINT, "0", "1")]),
        (GpuAllocation.DRA, {TAINT: "0"}, []),
    ],
)
def test_gpus_have_one_owner(allocation: GpuAllocation, offered: dict[str, str] | None, expected: list[Any]):
    """A device plugin offers all of them, and beside claims it offers none."""
    node = NODE if offered is None else {**NODE, "allocatable": offered}

    assert told(judged(promised(replace(POOL, allocation=allocation)), node)) == expected


def found(offered: dict[str, str], **changes: Any) -> list[Any]:
    """What differs on a node whose 32 NICs a device plugin hands out, and which offers this."""
    fabric = FABRICS["efa-device-plugin"]
    assert isinstance(fabric.nic_attachment, ExtendedResource)
    nics = replace(fabric.nic_attachment, **changes)
    pool = replace(POOL, machine=machine("p5.48xlarge"), fabric=replace(fabric, nic_attachment=nics))
    node = {"pool": 0, "machine": "p5.48xlarge", "allocatable": {TAINT: "8", **offered}}
    return told(judged(promised(pool), node))


@pytest.mark.parametrize(("full_node", "enough", "less"), [(False, 32, 31), (True, 1, 0)])
def test_nics_are_offered_all_or_one_for_all(full_node: bool, enough: int, less: int):
    assert found({EFA: str(enough)}, full_node=full_node) == []
    assert found({EFA: str(less)}, full_node=full_node) == [("nics offered", EFA, str(enough), str(less))]


@pytest.mark.parametrize(
    ("least", "enough", "less"),
    [
        ("5Gi", "5120Mi", "5119Mi"),
        ("1Ti", "1024Gi", "1023Gi"),
        ("1Mi", "1024Ki", "1023Ki"),
        ("1G", "1000M", "999M"),
        ("1M", "1000k", "999k"),
        ("2k", "2000", "1999"),
        ("1", "1000m", "999m"),
        ("1Ki", "1024", "1k"),
        ("1", "1", "1.5"),  # a text of another form is nothing
        ("1", "1", "1E"),
    ],
)
def test_amounts_are_read_as_kubernetes_writes_them(least: str, enough: str, less: str):
    """Units are thousandths and multiples of 1000 and of 1024."""
    pages = "hugepages-2Mi"

    assert found({EFA: "32", pages: enough}, beside={pages: least}) == []
    assert found({EFA: "32", pages: less}, beside={pages: least}) == [("offered beside", pages, least, less)]
    assert found({EFA: "32"}, beside={pages: least}) == [("offered beside", pages, least, "0")]
