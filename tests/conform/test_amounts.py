"""What a node offers to pods by count, at the edge of what is enough."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.fabrics import FABRICS, ExtendedResource
from tests.conform.pools import POOL, TAINT, judged, machine, promised, told

EFA = "vpc.amazonaws.com/efa"


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
        ("1G", "1000M", "999M"),
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
