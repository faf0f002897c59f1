"""How the words and lines of a picture look, and where its labels stand."""

from dataclasses import replace
from itertools import pairwise

import pytest
from nccl_verdict.expectation import SizeThreshold
from nccl_verdict.reader import read_bytes
from nccl_verdict.verdict import judge
from tests.nccl import render
from tests.nccl.test_gates_rows import want
from tests.nccl.test_plot import GREEN, RED, SPACE, number, of_log, picture, texts


def test_how_words_look() -> None:
    """The title is large and bold, figures end at their axis, sizes stand below the middle, labels begin."""
    root = of_log([*render.BUSBW])
    words = texts(root)
    looks = {
        text: tuple(each.attrib[key] for key in ("text-anchor", "font-size", "font-weight", "fill"))
        for text, each in words.items() if "transform" not in each.attrib
    }  # fmt: skip
    dark = "#24292f"
    assert looks["all_gather on 2 x 8 GPUs of m"] == ("start", "16", "600", dark)
    assert looks["passed"] == ("start", "12", "400", GREEN)
    assert looks["100"] == looks["0"] == ("end", "12", "400", dark)
    assert looks["1 GiB"] == looks["message size"] == ("middle", "12", "400", dark)
    assert looks["wire 400"] == ("start", "12", "400", "#6e7781")
    assert looks["threshold 257"] == ("start", "12", "400", RED)
    assert (looks["in-place 325.72"][3], looks["out-of-place 325.72"][3]) == ("#f0883e", "#1f6feb")
    upright = words["bus bandwidth, GB/s"].attrib
    assert (upright["transform"], upright["text-anchor"], upright["fill"]) == ("rotate(-90)", "middle", dark)
    axis = next(root.iter(f"{SPACE}line"))
    assert number(words["message size"], "x") == (number(axis, "x1") + number(axis, "x2")) / 2
    every = [number(each, "y1") for each in root.iter(f"{SPACE}line") if each.attrib["stroke"] == "#d8dee4"]
    assert -number(words["bus bandwidth, GB/s"], "x") == pytest.approx((min(every) + max(every)) / 2, abs=0.1)


def test_how_lines_look() -> None:
    """The grid is light and thin, the threshold and both curves are wide; wire and threshold are broken lines."""
    root = of_log([*render.BUSBW])
    keys = ("stroke", "stroke-width", "stroke-dasharray")
    lines = [tuple(each.attrib.get(key) for key in keys) for each in root.iter(f"{SPACE}line")]
    grid, tick = ("#d8dee4", "1", None), ("#24292f", "1", None)
    assert lines == [*[grid] * 6, *[tick] * 4, ("#6e7781", "1", "2 4"), (RED, "2", "7 4")]
    curves = [(each.attrib["stroke"], each.attrib["stroke-width"]) for each in root.iter(f"{SPACE}polyline")]
    assert curves == [("#f0883e", "2"), ("#1f6feb", "2")]
    assert {each.attrib["r"] for each in root.iter(f"{SPACE}circle")} == {"3"}


TWO = {"all_gather": (SizeThreshold(2 << 30, 200.0), SizeThreshold(8 << 30, 300.0))}


@pytest.mark.parametrize(
    ("thresholds", "words"),
    [
        ({}, []),
        (
            {"all_gather": (SizeThreshold(2 << 30, 200.0), SizeThreshold(8 << 30, 300.0))},
            ["threshold 300", "threshold 200"],
        ),
    ],
)
def test_each_threshold_has_its_line(thresholds: dict[str, tuple[SizeThreshold, ...]], words: list[str]) -> None:
    """Over the sizes that it holds for, the largest of them at its right end."""
    root = of_log([*render.BUSBW], thresholds=thresholds)
    found = texts(root)
    assert [text for text in found if text.startswith("threshold")] == words
    ends = [number(each, "x2") for each in root.iter(f"{SPACE}line") if each.attrib["stroke"] == RED]
    assert ends == ([number(found["4 GiB"], "x"), number(found["8 GiB"], "x")] if words else [])


def test_a_verdict_that_failed_by_no_gate_says_no_more() -> None:
    """One gate that only follows from a waived one is told; without any, the outcome alone."""
    verdict = judge(read_bytes(render.joined(render.log())), want())
    assert "failed" in texts(picture(replace(verdict, passed=False)))
    assert "nccl-tests on 2 x 8 GPUs of m" in texts(picture(replace(verdict, collective=None)))
    seen = replace(verdict.gates[0], passed=False, seen="x" * 105)
    just, more = (replace(verdict, passed=False, gates=(replace(seen, seen=seen.seen + each),)) for each in ("", "x"))
    assert f"failed: ran, {'x' * 105}" in texts(picture(just))
    assert f"failed: ran, {'x' * 102}..." in texts(picture(more))


def test_labels_that_would_overlap_are_moved_apart() -> None:
    """Fifteen pixels at the least, in the order of their figures, and none below the axis."""
    root = of_log([1.0, 1.0], thresholds={"all_gather": (SizeThreshold(1 << 30, 1.0),)})
    words = texts(root)
    labels = ["wire 400", "threshold 1", "in-place 1", "out-of-place 1"]
    ys = sorted(number(words[label], "y") for label in labels)
    axis = max(number(each, "y1") for each in root.iter(f"{SPACE}line") if each.attrib["stroke"] == "#d8dee4")
    assert number(words["wire 400"], "y") == ys[0]
    assert [later - earlier for earlier, later in pairwise(ys[1:])] == [15.0, 15.0]
    assert ys[-1] - 4 == pytest.approx(axis, abs=0.1)
    right = number(next(root.iter(f"{SPACE}line")), "x2")
    assert {number(words[label], "x") for label in labels} == {right + 8}
