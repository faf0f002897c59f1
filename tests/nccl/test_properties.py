"""Any text gives a verdict, and a part of a log never passes."""

from hypothesis import given, settings, strategies as st
from nccl_verdict.plot import write_svg
from nccl_verdict.reader import read_bytes
from nccl_verdict.report import read_report
from nccl_verdict.text import plain_text, termination_message
from nccl_verdict.verdict import judge
from tests.nccl import render
from tests.nccl.cases import CASES, Case
from tests.nccl.test_report import raw, report

GOOD = render.log()
WANT = render.want()
EVERY = settings(max_examples=100)


def outcome(lines: list[str]) -> bool:
    """Judge, and use every way to say the result."""
    verdict = judge(read_bytes(render.joined(lines)), WANT)
    assert write_svg(verdict).endswith("</svg>\n")
    assert len(termination_message(verdict).encode()) <= 4096
    assert verdict.headline in plain_text(verdict)
    assert verdict.to_json()["passed"] is verdict.passed
    assert verdict.exit_code in ((0,) if verdict.passed else (1, 2))
    return verdict.passed


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
