"""What a log prints is shown, and moves no cursor of whoever reads the verdict."""

import io
import json

import pytest
from nccl_verdict.files import read_stream
from nccl_verdict.reader import read_bytes
from nccl_verdict.text import plain_text, termination_message
from nccl_verdict.verdict import Verdict, judge
from tests.nccl import render

HOSTILE = {
    "OSC": "\x1b]0;owned\x07", "CSI": "\x1b[2J\x1b[1;1H", "C1": "\x9b2J", "bidi": "\u202egnp.exe\u2066", "NUL": "\0",
    "return": "\rpassed", "zero width": "\u200b", "separator": "\u2028",
}  # fmt: skip


def shown(verdict: Verdict) -> str:
    return plain_text(verdict) + termination_message(verdict) + json.dumps(verdict.to_json(), ensure_ascii=False)


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_a_log_reaches_no_terminal(hostile: str) -> None:
    """A host, a model, a failure, a network and a report are all shown in characters that move no cursor."""
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
