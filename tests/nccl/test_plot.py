"""The picture of a verdict."""

import re
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import pytest
from nccl_verdict.expectation import SizeThreshold
from nccl_verdict.plot import write_svg
from nccl_verdict.reader import read_bytes
from nccl_verdict.verdict import Verdict, judge
from tests.nccl import render
from tests.nccl.cases import CASES, Case
from tests.nccl.test_gates_rows import want

SPACE = "{http://www.w3.org/2000/svg}"
GREEN, RED = "#1a7f37", "#d1242f"


def picture(verdict: Verdict) -> ElementTree.Element:
    return ElementTree.fromstring(write_svg(verdict))


def of_log(busbw: list[float], **more: Any) -> ElementTree.Element:
    return picture(judge(read_bytes(render.joined(render.log(busbw=busbw))), want(**more)))


def number(element: ElementTree.Element, key: str) -> float:
    return float(element.attrib[key])


def boxes(root: ElementTree.Element) -> list[tuple[float, float, float, float, str]]:
    """Left, top, right and bottom of each text that lies, by the usual width of a letter."""
    found = []
    for text in root.iter(f"{SPACE}text"):
        if "transform" not in text.attrib:
            size = number(text, "font-size")
            width = 0.6 * size * len(text.text or "")
            left = number(text, "x") - width * {"start": 0, "middle": 0.5, "end": 1}[text.attrib["text-anchor"]]
            y = number(text, "y")
            found.append((left, y - 0.8 * size, left + width, y + 0.2 * size, text.text or ""))
    return found


def texts(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {each.text or "": each for each in root.iter(f"{SPACE}text")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_can_be_drawn(case: Case) -> None:
    """Well-formed, nothing leaves the frame, and no words lie upon others."""
    root = picture(judge(read_bytes(case.text), case.expectation))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for circle in root.iter(f"{SPACE}circle"):
        assert 0 <= number(circle, "cx") <= width and 0 <= number(circle, "cy") <= height
    for line in root.iter(f"{SPACE}line"):
        assert all(0 <= number(line, end) <= width for end in ("x1", "x2"))
        assert all(0 <= number(line, end) <= height for end in ("y1", "y2"))
    lying = boxes(root)
    for left, top, right, bottom, text in lying:
        assert left >= 0 and top >= 0 and right <= width and bottom <= height, text
    for one, two in combinations(lying, 2):
        assert one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1] or two[3] <= one[1], (one[4], two[4])


def test_columns_threshold_and_wire_are_labelled() -> None:
    """Both columns with their last figure, the threshold, and the line rate."""
    root = of_log([*render.BUSBW])
    for label in (
        "out-of-place 325.72",
        "in-place 325.72",
        "threshold 257",
        "wire 400",
        "8 GiB",
        "message size",
        "passed",
        "all_gather on 2 x 8 GPUs of m",
    ):
        assert label in texts(root)
    assert len(list(root.iter(f"{SPACE}polyline"))) == 2
    assert texts(root)["passed"].attrib["fill"] == GREEN


def test_everything_stands_where_the_axes_say() -> None:
    """Points by the labels of both axes, which are at even steps; threshold and wire at their own figures, as words."""
    root = of_log([*render.BUSBW], thresholds={"all_gather": (SizeThreshold(2 << 30, 250.0),)})
    words = texts(root)
    at = {float(text): number(each, "y") - 4 for text, each in words.items() if re.fullmatch(r"\d+", text)}
    zero, hundred = at[0.0], at[100.0]

    def y(figure: float) -> float:
        return zero + (hundred - zero) * figure / 100

    assert [*at] == [0, 100, 200, 300, 400, 500] and all(y == pytest.approx(at[of], abs=0.1) for of, y in at.items())
    lines = [{key: number(each, key) for key in ("x1", "y1", "x2", "y2")} for each in root.iter(f"{SPACE}line")]
    level = [each for each in lines if each["y1"] == each["y2"]]
    assert all(number(each, "stroke-width") >= 1 for each in root.iter(f"{SPACE}line"))
    assert [each["y1"] for each in level[:6]] == pytest.approx([y(of) for of in at], abs=0.1)
    wire, threshold = level[6:]
    assert (wire["y1"], threshold["y1"]) == pytest.approx((y(400), y(250)), abs=0.1)
    assert [wire["x1"], wire["x2"]] == [level[0]["x1"], level[0]["x2"]]
    sizes = {f"{1 << power} GiB": number(words[f"{1 << power} GiB"], "x") for power in range(4)}
    left, right = level[0]["x1"], level[0]["x2"]
    assert [*sizes.values()] == pytest.approx([left + step * (right - left) / 3 for step in range(4)], abs=0.1)
    assert {words[size].attrib["text-anchor"] for size in sizes} == {"middle"}
    ticks = [each["x1"] for each in lines if each["x1"] == each["x2"]]
    assert sorted(ticks) == pytest.approx(sorted(sizes.values()), abs=0.1)
    assert threshold["x1"] < sizes["2 GiB"] < threshold["x2"] == sizes["8 GiB"] and threshold["x1"] > sizes["1 GiB"]
    for circle in root.iter(f"{SPACE}circle"):
        (title,) = circle
        told = re.fullmatch(r"(?:out-of|in)-place, (.* GiB): (.*) GB/s", title.text or "")
        assert told and number(circle, "cx") == sizes[told[1]]
        assert number(circle, "cy") == pytest.approx(y(float(told[2])), abs=0.1)
    drawn = [line.attrib["points"] for line in root.iter(f"{SPACE}polyline")]
    circles = [f"{each.attrib['cx']},{each.attrib['cy']}" for each in root.iter(f"{SPACE}circle")]
    assert drawn == [" ".join(circles[:4]), " ".join(circles[4:])]
    assert number(words["wire 400"], "y") - 4 == pytest.approx(y(400), abs=0.1)
    assert number(words["threshold 250"], "y") - 4 == pytest.approx(y(250), abs=0.1)


@pytest.mark.parametrize(("top", "labels"), [(1.0, 4), (3.0, 5), (9.0, 6), (19.0, 5), (900.0, 6)])
def test_a_few_round_figures(top: float, labels: int) -> None:
    """Whatever the highest is: steps of 1, 2 or 5, some more than enough, and none far above it."""
    root = of_log([top / 2, top], thresholds={}, wire_gbytes=None)
    figures = [float(text) for text, each in texts(root).items() if each.attrib["text-anchor"] == "end"]
    first = figures[1]

    assert figures == pytest.approx([first * place for place in range(len(figures))])
    assert f"{first:e}"[0] in "125" and f"{first:e}"[1:].startswith(".000000")
    assert top < figures[-1] <= top + 1.3 * first and len(figures) == labels


def test_many_sizes_share_their_labels() -> None:
    """From 1 KiB to 8 GiB every third size is named, the largest among them, and none twice."""
    table = [(1024 << power, 1.0 + power) for power in range(24)]
    head = render.log()[:-6]
    rows = [render.row(size, busbw, busbw, 16) for size, busbw in table]
    root = picture(judge(read_bytes(render.joined([*head, *rows])), want()))
    named = [text for text in texts(root) if re.fullmatch(r"\d+ [KMG]iB", text)]

    assert named == ["8 GiB", "1 GiB", "128 MiB", "16 MiB", "2 MiB", "256 KiB", "32 KiB", "4 KiB"]


def test_larger_is_higher_and_further_right() -> None:
    """The scale has the right signs."""
    root = of_log([300.0, 320.0, 340.0])
    points = [(number(c, "cx"), number(c, "cy")) for c in root.iter(f"{SPACE}circle")][:3]
    assert points == sorted(points)
    assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)
    last = min(number(texts(root)[f"{name} 340"], "y") for name in ("in-place", "out-of-place"))
    assert last - 4 == pytest.approx(points[-1][1], abs=0.1)


def test_one_size_alone() -> None:
    """Has a place on the axis, too: where it begins."""
    root = of_log([320.0])
    axis = next(root.iter(f"{SPACE}line"))
    assert {number(circle, "cx") for circle in root.iter(f"{SPACE}circle")} == {number(axis, "x1")}


def test_failure_is_in_the_picture() -> None:
    """A failed verdict names its first failed gate, with text that is escaped; a long one is cut, and waivers stay."""
    lines = [line.replace("gIB", "<b>&") for line in render.log()]
    drawn = write_svg(judge(read_bytes(render.joined(lines)), render.want()))
    assert "failed: transport, network &lt;b&gt;&amp;" in drawn
    words = texts(ElementTree.fromstring(drawn))
    (said,) = [text for text in words if text.startswith("failed: ")]
    assert len(said) <= 118 and words[said].attrib["fill"] == RED
    long = texts(picture(judge(read_bytes(render.joined([*render.log(), "Test timeout: " + 150 * "x"])), want())))
    assert [len(text) for text in long if text.endswith("...")] == [118]
    waived = judge(read_bytes(render.joined(lines)), render.want(), ("transport",))
    assert "passed; waived transport" in texts(picture(waived))


def test_no_rows() -> None:
    """Are said in the middle."""
    word = texts(picture(judge([], want())))["no rows"]
    assert (number(word, "x"), number(word, "y"), word.attrib["text-anchor"]) == (430, 230, "middle")
