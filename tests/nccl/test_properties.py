"""Any text gives a verdict, and a part of a log never passes."""

from hypothesis import given, settings, strategies as st
from nccl_verdict.reader import read_bytes
from nccl_verdict.report import read_report
from nccl_verdict.verdict import judge
from tests.nccl import render
from tests.nccl.cases import CASES, Case
from tests.nccl.reports import raw, report

GOOD = render.log()
WANT = render.want()
EVERY = settings(max_examples=100)


@EVERY
@given(case=st.sampled_from(CASES), start=st.integers(0, 10**6), length=st.integers(0, 10**6))
def test_any_cut_of_a_published_log_fails(case: Case, start: int, length: int) -> None:
    cut = case.text[start % len(case.text) :][:length]
    assert not judge(read_bytes(cut), case.expectation).passed


@EVERY
@given(cut=st.integers(0, len(render.joined(GOOD)) - 8))
def test_a_cut_good_log_fails(cut: int) -> None:
    assert not judge(read_bytes(render.joined(GOOD)[:cut]), WANT).passed


@EVERY
@given(text=st.lists(st.one_of(st.text(max_size=60), st.sampled_from(GOOD)), max_size=60))
def test_any_text_gives_a_verdict(text: list[str]) -> None:
    judge(read_bytes("\n".join(text).encode("utf-8", "surrogatepass")), WANT)


@EVERY
@given(noise=st.binary(max_size=3000), place=st.integers(0, 5000))
def test_any_bytes_inside_a_log_give_a_verdict(noise: bytes, place: int) -> None:
    whole = render.joined(GOOD)
    judge(read_bytes(whole[:place] + noise + whole[place:]), WANT)


@EVERY
@given(st.binary(max_size=200), st.integers(0, 4000))
def test_any_report_gives_a_verdict(noise: bytes, place: int) -> None:
    whole = raw(report())
    judge([read_report(whole[:place] + noise + whole[place:])], WANT)
