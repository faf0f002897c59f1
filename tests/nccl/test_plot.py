"""The picture of a verdict."""

from xml.etree import ElementTree

import pytest
from rdma_cluster.nccl.plot import write_svg
from rdma_cluster.nccl.reader import read_bytes
from rdma_cluster.nccl.verdict import Verdict, judge

from tests.nccl import render
from tests.nccl.cases import CASES, Case

SPACE = "{http://www.w3.org/2000/svg}"


def picture(verdict: Verdict) -> ElementTree.Element:
    return ElementTree.fromstring(write_svg(verdict))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_can_be_drawn(case: Case) -> None:
    """Well-formed, and nothing leaves the frame."""
    root = picture(judge(read_bytes(case.text), case.expectation))
    for circle in root.iter(f"{SPACE}circle"):
        assert 0 <= float(circle.attrib["cx"]) <= 860
        assert 0 <= float(circle.attrib["cy"]) <= 460


def test_columns_threshold_and_wire_are_labelled() -> None:
    """Both columns with their last figure, the threshold, and the line rate."""
    root = picture(judge(read_bytes(render.joined(render.log())), render.want()))
    texts = [each.text or "" for each in root.iter(f"{SPACE}text")]
    for label in (
        "out-of-place 325.72",
        "in-place 325.72",
        "threshold 257",
        "wire 400",
        "8 GiB",
        "message size",
        "passed",
    ):
        assert label in texts
    assert len(list(root.iter(f"{SPACE}polyline"))) == 2


def test_larger_is_higher_and_further_right() -> None:
    """The scale has the right signs."""
    root = picture(judge(read_bytes(render.joined(render.log(busbw=[300.0, 320.0, 340.0]))), render.want()))
    points = [(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in root.iter(f"{SPACE}circle")][:3]
    assert points == sorted(points)
    assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)


def test_failure_is_in_the_picture() -> None:
    """A failed verdict names its first failed gate, with text that is escaped."""
    lines = [line.replace("gIB", "<b>&") for line in render.log()]
    drawn = write_svg(judge(read_bytes(render.joined(lines)), render.want()))
    assert "failed: transport, network &lt;b&gt;&amp;" in drawn
