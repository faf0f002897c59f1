"""The drawings of a page beside its node: what joins nodes, racks, and the shapes of claims."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from rdma_cluster.claims import Nics, Pairs
from rdma_cluster.cli.page.between import between, racks
from rdma_cluster.cli.page.devices import gpu
from rdma_cluster.cli.page.page import claims
from tests.cli.drawn import PAIRED, ROWS, outline, shown, use


def test_rails_that_are_networks_of_their_own_have_a_line_each():
    """The line joins the NIC to the same NIC of other nodes, beside the GPUs that it is near."""
    html = between(ROWS, [PAIRED])
    ends = ["div.end n0", "small GPU 0, 1", "i.line across"], ["div.end NIC", "small GPU 2", "i.line across"]

    first, *drawn = shown(html, "p.dim", "div.end", "small", "i.line", "button")
    assert first == "p.dim pool a: 2 nodes" and drawn.pop().startswith("p.dim a NIC reaches the same rail of")
    assert drawn == [
        *ends[0], "button rail 0", ends[0][2], *ends[0][:2],
        *ends[1], "button rail 1", ends[1][2], *ends[1][:2],
    ]  # fmt: skip
    assert shown(html, "i.key") == ["i.key across gIB, 400 Gb/s a NIC"]


def test_one_network_that_joins_every_nic_is_drawn_once():
    uses = [replace(use("p5.48xlarge", nodes=1), pool="b"), use("p5.48xlarge", nodes=3)]
    html = between(ROWS, uses)

    assert shown(html, "div.between", "button") == ["div.between whole [--rows: 2]", "button one EFA network"]
    pools, reach = shown(html, "p.dim")
    assert pools == "p.dim pool b: 1 nodes; pool a: 3 nodes" and "no rail is a network of its own" in reach


def test_between_single_nodes_nothing_is_drawn():
    assert outline(between(ROWS, [replace(PAIRED, nodes=1)] * 2)) == ["p.dim one node: nothing between nodes"]


def test_more_than_eight_rails_share_the_line_of_their_gpu():
    """They do only where the GPU of every rail is known."""
    rows = [{"rail": i, "gpu": str(i // 3), "nic": f"card {i}", "cidr": f"10.0.{i}.0/24"} for i in range(10)]
    unknown = [*rows[:9], {**rows[9], "gpu": "-"}]

    shared = ["button rails 0 to 2", "button rails 3 to 5", "button rails 6 to 8", "button rail 9"]
    assert shown(between(rows, [PAIRED]), "button") == shared
    assert len(shown(between(rows[:8], [PAIRED]), "button")) == 8
    assert len(shown(between(unknown, [PAIRED]), "button")) == 10


RACK = use("p6e-gb200.36xlarge", 3, gpus=4, nvlink_domain=12)


def test_each_nvlink_domain_has_a_frame_with_its_nodes_and_its_empty_places():
    html = racks([use("a4-highgpu-8g"), replace(RACK, racks=(2, 1))])

    assert shown(html, "b", "span") == [
        "b NVLink domain 1, pool a", "span.dim 2 nodes, 8 GPUs",
        "span.cell 1", "span.cell 2", "span.cell empty 3",
        "b NVLink domain 2, pool a", "span.dim 1 nodes, 4 GPUs",
        "span.cell 1", "span.cell empty 2", "span.cell empty 3",
    ]  # fmt: skip


OFFERS: Any = (
    SimpleNamespace(intent=Pairs(1), pods_per_node=2, windows=[
        [SimpleNamespace(name="t0", window="rail-0")],
        [SimpleNamespace(name="t1", window="rail-1"), SimpleNamespace(name="t2", window="x")]]),
    SimpleNamespace(intent=Nics(), pods_per_node=1, windows=[[SimpleNamespace(name="n", window="all")]]),
    SimpleNamespace(intent=Pairs(2), pods_per_node=3, windows=[[SimpleNamespace(name="q", window="w")]]),
)  # fmt: skip


def test_a_shape_of_claims_has_a_tile_for_each_pod():
    """Tiles name their window where each pod has its own; below stand the templates that a pod takes together."""
    assert shown(claims(replace(PAIRED, offers=OFFERS)), "b", "span", "code") == [
        "b 1 aligned GPU+NIC pair", "span.dim 2 a node", "span.tile rail-0", "span.tile rail-1 + x",
        "code t0 ,", "code t1 +", "code t2", "b all NICs", "span.dim 1 a node", "span.tile nic", "code n",
        "b 2 aligned GPU+NIC pairs", "span.dim 3 a node", "span.tile", "span.tile", "span.tile", "code q",
    ]  # fmt: skip


def test_a_gpu_names_the_templates_of_its_own_window_that_ask_for_gpus():
    of: Any = {each: [SimpleNamespace(device_class=each)] for each in ("gpus", "nics")}
    windows = [[SimpleNamespace(name=f"{each}-{i}", requests=of[each]) for each in of] for i in range(3)]
    shared: Any = replace(PAIRED, offers=(SimpleNamespace(windows=windows),), gpu_by="DeviceClass gpus")

    assert [gpu(i, shared, ROWS).facts["templates"] for i in range(3)] == ["gpus-0", "gpus-1", "gpus-2"]
