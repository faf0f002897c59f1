"""What a log prints is shown, and moves no cursor of whoever reads the verdict."""

import io
import json

import pytest
from hypothesis import given, strategies as st
from nccl_verdict.files import read_stream
from nccl_verdict.reader import read_bytes
from nccl_verdict.text import plain_text, termination_message
from nccl_verdict.verdict import Verdict, judge
from pulumi_offline.visible import visible, visible_lines
from tests.nccl import render

HOSTILE = {
    "OSC": "\x1b]0;owned\x07", "CSI": "\x1b[2J\x1b[1;1H", "C1": "\x9b2J", "bidi": "\u202egnp.exe\u2066", "NUL": "\0",
    "return": "\rpassed", "zero width": "\u200b", "separator": "\u2028",
}  # fmt: skip


def shown(verdict: Verdict) -> str:
    return plain_text(verdict) + termination_message(verdict) + json.dumps(verdict.to_json(), ensure_ascii=False)


@given(st.text(st.characters()))
def test_everything_is_printable(text: str) -> None:
    """Whatever it was; and what can be printed stays as it is."""
    assert visible(text).isprintable()
    assert visible(text) == text or not text.isprintable()


def test_what_is_not_printable_is_written_as_json_writes_it() -> None:
    """Each such character alone; ends of lines stay where several lines are shown."""
    assert visible('a\x1b[2J"b"\n\u202e\U000e0001\ud800é') == 'a\\u001b[2J"b"\\n\\u202e\\udb40\\udc01\\ud800é'
    assert visible_lines("a\x1b\n\n\tb\n") == "a\\u001b\n\n\\tb\n"


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_a_log_reaches_no_terminal(hostile: str) -> None:
    """Not by a host, a model, a failure, a network, or a report."""
    lines = [
        *render.log(),
        f"node-1: Test NCCL failure common.cu:1 'unhandled{hostile}error'",
        f"node-0:700:900 [0] NCCL INFO Using network IB{hostile}",
        f"#  Rank  3 Group  0 Pid 9 on no{hostile}de device  0 [0000:00:00] NVIDIA{hostile}",
        f"node-0:700:900 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB{hostile}/0",
    ]
    report = {"version": 1, "config": {"devices": [{"rank": 0, "pid": 1, "hostname": hostile, "device_info": hostile}]}}
    for runs in (
        read_bytes("\n".join(lines).encode()),
        read_bytes("\n".join(line.replace("node-1", f"no{hostile}de") for line in lines).encode()),
        read_stream(io.BytesIO(json.dumps(report).encode())),
    ):
        text = shown(judge(runs, render.want()))
        assert all(line.isprintable() for line in text.split("\n"))
