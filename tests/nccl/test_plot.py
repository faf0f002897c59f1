"""The picture of a verdict: every point stands where the axes say, and no words lie upon others."""

import re
from itertools import combinations, pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from nccl_verdict.expectation import SizeThreshold
from nccl_verdict.plot import write_svg
from nccl_verdict.verdict import Verdict
from tests.nccl import render
from tests.nccl.cases import CASES, Case
from tests.nccl.judging import LOG, thresholds, verdict, want

SPACE = "{http://www.w3.org/2000/svg}"
TWO = {"all_gather": (SizeThreshold(2 << 30, 200.0), SizeThreshold(8 << 30, 300.0))}
Root = ElementTree.Element


def picture(outcome: Verdict) -> Root:
    return ElementTree.fromstring(write_svg(outcome))


def of_log(busbw: list[float], **more: Any) -> Root:
    return picture(verdict(render.log(busbw=busbw), want=want(**more)))


def number(element: Root, key: str) -> float:
    return float(element.attrib[key])


def lines(root: Root) -> list[dict[str, float]]:
    return [{key: number(each, key) for key in ("x1", "y1", "x2", "y2")} for each in root.iter(f"{SPACE}line")]


def texts(root: Root) -> dict[str, Root]:
    return {each.text or "": each for each in root.iter(f"{SPACE}text")}


def boxes(root: Root) -> list[tuple[float, float, float, float, str]]:
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


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_nothing_of_a_published_run_leaves_the_frame_or_lies_upon_other_words(case: Case) -> None:
    root = picture(verdict(case.lines(), want=case.expectation))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for circle in root.iter(f"{SPACE}circle"):
        assert 0 <= number(circle, "cx") <= width
        assert 0 <= number(circle, "cy") <= height
    for line in lines(root):
        assert min(line.values()) >= 0
        assert max(line["x1"], line["x2"]) <= width
        assert max(line["y1"], line["y2"]) <= height
    lying = boxes(root)
    for left, top, right, bottom, text in lying:
        assert min(left, top) >= 0, text
        assert right <= width, text
        assert bottom <= height, text
    for one, two in combinations(lying, 2):
        assert one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1] or two[3] <= one[1], (one[4], two[4])


def test_points_threshold_and_wire_stand_where_the_axes_say() -> None:
    """Both axes are in even steps; the threshold's line begins at its size, and both columns end in their figures."""
    root = of_log([*render.BUSBW], thresholds={"all_gather": (SizeThreshold(2 << 30, 250.0),)})
    words = texts(root)
    at = {float(text): number(each, "y") - 4 for text, each in words.items() if re.fullmatch(r"\d+", text)}
    sizes = [number(words[f"{1 << power} GiB"], "x") for power in range(4)]
    level = [each for each in lines(root) if each["y1"] == each["y2"]]
    wire, threshold = level[6:]

    def y(figure: float) -> float:
        return at[0.0] + (at[100.0] - at[0.0]) * figure / 100

    assert [*at] == [0, 100, 200, 300, 400, 500]
    assert [*at.values()] == pytest.approx([y(figure) for figure in at], abs=0.1)
    assert [each["y1"] for each in level] == pytest.approx([*at.values(), y(400), y(250)], abs=0.1)
    left, right = level[0]["x1"], level[0]["x2"]
    assert sizes == pytest.approx([left + step * (right - left) / 3 for step in range(4)], abs=0.1)
    assert (wire["x1"], wire["x2"]) == (left, right)
    assert sizes[0] < threshold["x1"] < sizes[1]
    assert threshold["x2"] == sizes[3]
    for place, circle in enumerate(root.iter(f"{SPACE}circle")):
        assert number(circle, "cx") == sizes[place % 4]
        assert number(circle, "cy") == pytest.approx(y(render.BUSBW[place % 4]), abs=0.1)
        assert f"{1 << place % 4} GiB: {render.BUSBW[place % 4]:g} GB/s" in (circle[0].text or "")
    circles = [f"{each.attrib['cx']},{each.attrib['cy']}" for each in root.iter(f"{SPACE}circle")]
    drawn = [line.attrib["points"] for line in root.iter(f"{SPACE}polyline")]
    assert drawn == [" ".join(circles[:4]), " ".join(circles[4:])]
    assert {"in-place 325.72", "out-of-place 325.72", "wire 400", "threshold 250", "message size", "passed"} <= {*words}
    assert number(words["wire 400"], "y") - 4 == pytest.approx(y(400), abs=0.1)


def test_each_threshold_has_a_line_over_the_sizes_that_it_holds_for() -> None:
    root = of_log([*render.BUSBW], thresholds=TWO)
    words = texts(root)
    colour = words["threshold 200"].attrib["fill"]
    ends = [number(each, "x2") for each in root.iter(f"{SPACE}line") if each.attrib["stroke"] == colour]

    assert ends == [number(words["4 GiB"], "x"), number(words["8 GiB"], "x")]
    assert "threshold 300" in words
    assert not [text for text in texts(of_log([*render.BUSBW], thresholds={})) if text.startswith("threshold")]


def test_labels_that_would_overlap_are_moved_apart() -> None:
    """Each has the height of a line, in the order of their figures, and none is below the axis."""
    root = of_log([1.0, 1.0], thresholds=thresholds(all_gather=(1 << 30, 1.0)))
    words = texts(root)
    ys = [number(words[label], "y") for label in ("wire 400", "in-place 1", "out-of-place 1", "threshold 1")]

    assert ys == sorted(ys)
    assert [later - earlier for earlier, later in pairwise(ys[1:])] == [15.0, 15.0]
    assert ys[-1] - 4 == pytest.approx(lines(root)[0]["y1"], abs=0.1)


def test_a_failed_verdict_names_its_first_gate_in_text_that_is_escaped_and_cut() -> None:
    odd = [line.replace("gIB", "<b>&") for line in LOG]
    good, failed, waived = verdict(LOG), verdict(odd), verdict(odd, waive=("transport",))
    drawn = write_svg(failed)
    long = texts(picture(verdict([*LOG, "Test timeout: " + 150 * "x"])))
    (said,) = [text for text in texts(picture(failed)) if text.startswith("failed: ")]

    assert "failed: transport, network &lt;b&gt;&amp;" in drawn
    assert texts(picture(failed))[said].attrib["fill"] != texts(picture(good))["passed"].attrib["fill"]
    assert [len(text) for text in long if text.endswith("...")] == [118]
    assert "passed; waived transport" in texts(picture(waived))
    assert "no rows" in texts(picture(verdict()))
