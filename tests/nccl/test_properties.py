"""Any text gives a verdict, and losing lines never helps."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from rdma_cluster.nccl import judge, plain_text, termination_message, write_svg
from rdma_cluster.nccl.reader import read_bytes
from rdma_cluster.nccl.report import read_report

from tests.nccl import render
from tests.nccl.cases import CASES, Case
from tests.nccl.test_forms import CHANGES
from tests.nccl.test_report import raw, report

GOOD = render.log()
WANT = render.want()
EVERY = settings(max_examples=100, deadline=None)


def outcome(lines: list[str]) -> bool:
    """Judge, and use every way to say the result."""
    verdict = judge(read_bytes(render.joined(lines)), WANT)
    assert write_svg(verdict).endswith("</svg>\n")
    assert len(termination_message(verdict).encode()) <= 4096
    assert verdict.headline in plain_text(verdict)
    assert verdict.to_json()["passed"] is verdict.passed
    assert verdict.exit_code in ((0,) if verdict.passed else (1, 2))
    return verdict.passed


def failing() -> st.SearchStrategy[list[str]]:
    """Runs that fail, by one change."""
    changed = [change(GOOD, "gIB") for change, _ in CHANGES.values()]
    return st.sampled_from([lines for lines in changed if not outcome(lines)])


def shuffled(lines: list[str], seed: int) -> list[str]:
    return Random(seed).sample(lines, len(lines))


def test_the_base_passes() -> None:
    """Otherwise the properties below would say nothing."""
    assert outcome(GOOD)


@EVERY
@given(lines=failing(), data=st.data())
def test_losing_lines_never_turns_a_fail_into_a_pass(lines: list[str], data: st.DataObject) -> None:
    """Whatever subset of a failing log is left."""
    lost = data.draw(st.sets(st.integers(0, len(lines) - 1), max_size=6))
    assert not outcome([line for number, line in enumerate(lines) if number not in lost])


def test_losing_any_one_or_two_lines_of_every_failing_log() -> None:
    """All single losses, and all pairs of the line that was changed with one other."""
    for name, (change, _) in CHANGES.items():
        lines = change(GOOD, "gIB")
        if outcome(lines):
            continue
        differing = [number for number, line in enumerate(lines) if line not in GOOD]
        telling = [number for number, line in enumerate(lines) if "Bootstrap" not in line]
        for number in telling:
            for other in differing[:1] or [number]:
                left = [line for place, line in enumerate(lines) if place not in (number, other)]
                assert not judge(read_bytes(render.joined(left)), WANT).passed, (name, lines[number], lines[other])


@EVERY
@given(case=st.sampled_from(CASES), start=st.integers(0, 10**6), length=st.integers(0, 10**6))
def test_any_cut_of_a_published_log_fails(case: Case, start: int, length: int) -> None:
    """A part of a log that fails, fails."""
    cut = case.text[start % len(case.text) :][:length]
    assert not judge(read_bytes(cut), case.expectation).passed


@EVERY
@given(cut=st.integers(0, len(render.joined(GOOD)) - 8))
def test_a_cut_good_log_fails(cut: int) -> None:
    """It did not finish."""
    assert not judge(read_bytes(render.joined(GOOD)[:cut]), WANT).passed


@EVERY
@given(seed=st.integers())
def test_shuffled_lines_give_a_verdict(seed: int) -> None:
    """In any order."""
    outcome(shuffled(GOOD, seed))


@EVERY
@given(lines=failing(), seed=st.integers(), lost=st.integers(0, 3))
def test_shuffling_and_losing_does_not_help(lines: list[str], seed: int, lost: int) -> None:
    """A failing log in another order and with holes still fails."""
    assert not outcome(shuffled(lines, seed)[lost:])


@EVERY
@given(lines=failing(), repeated=st.lists(st.integers(0, 200), max_size=9))
def test_duplicated_lines_do_not_help(lines: list[str], repeated: list[int]) -> None:
    """Nor does saying anything twice."""
    extra = [lines[number % len(lines)] for number in repeated]
    assert not outcome([*lines, *extra])


@EVERY
@given(text=st.lists(st.one_of(st.text(max_size=60), st.sampled_from(GOOD)), max_size=60))
def test_any_text_gives_a_verdict(text: list[str]) -> None:
    """Never a traceback."""
    judge(read_bytes("\n".join(text).encode("utf-8", "surrogatepass")), WANT)


@EVERY
@given(noise=st.binary(max_size=3000), place=st.integers(0, 5000))
def test_any_bytes_inside_a_log_give_a_verdict(noise: bytes, place: int) -> None:
    """Also what is no text at all."""
    whole = render.joined(GOOD)
    judge(read_bytes(whole[:place] + noise + whole[place:]), WANT)


@EVERY
@given(st.binary(max_size=200), st.integers(0, 4000))
def test_any_report_gives_a_verdict(noise: bytes, place: int) -> None:
    """Reports as well."""
    whole = raw(report())
    judge([read_report(whole[:place] + noise + whole[place:])], WANT)
