"""Logs that a log tool wrapped as JSON are read, or named with what unwraps them."""

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from nccl_verdict.files import NotReadableError, read_stream
from nccl_verdict.verdict import judge
from tests.nccl import render

ENTRIES: dict[str, Callable[[str], dict[str, Any]]] = {
    "docker": lambda line: {"log": f"{line}\n", "stream": "stdout", "time": "2026-11-16T10:00:00Z"},
    "fluent": lambda line: {"time": "2026-11-16T10:00:00Z", "log": line, "kubernetes": {"pod_name": "nccl-0"}},
    "Cloud Logging": lambda line: {"insertId": "x", "textPayload": line, "severity": "INFO"},
    "CloudWatch": lambda line: {"timestamp": 1763287200000, "message": line},
    "Cloud Logging of JSON": lambda line: {"insertId": "x", "jsonPayload": {"message": line, "level": "info"}},
    "Loki": lambda line: {"labels": {"pod": "nccl-0"}, "line": line, "timestamp": "2026-11-16T10:00:00Z"},
    "coloured": lambda line: {"log": f"\x1b[36m{line}\x1b[0m\n", "stream": "stderr"},
}


@pytest.mark.parametrize("tool", ENTRIES)
def test_an_entry_a_line_is_read(tool: str) -> None:
    """Healthy passes, and a change shows as in plain text."""
    for form in ("gIB", "InfiniBand, HPC-X v10"):
        lines = render.log(form=form)
        wrapped = [json.dumps(ENTRIES[tool](line)) for line in lines]

        assert judge(read_stream(io.BytesIO(render.joined(wrapped))), render.want(form)).passed
        bad = [line.replace("/GDRDMA", "") for line in wrapped]
        outcome = judge(read_stream(io.BytesIO(render.joined(bad))), render.want(form))
        assert [gate.name for gate in outcome.failed] == ["gdr"]


def test_docker_cuts_long_lines() -> None:
    """Entries without a line's end belong together."""
    long = "# " + "x" * (16384 - 2)
    wrapped = [json.dumps({"log": each}) for each in (long, "y\n", *(f"{line}\n" for line in render.log()))]

    assert judge(read_stream(io.BytesIO(render.joined(wrapped))), render.want()).passed


def loki(lines: list[str]) -> str:
    values = [["1763287200000000000", line] for line in lines]
    return json.dumps({"status": "success", "data": {"resultType": "streams", "result": [{"values": values}]}})


OTHERS = {
    ".[] | .log // .message // ": lambda lines: json.dumps([{"textPayload": line} for line in lines], indent=2),
    ".events[].message": lambda lines: json.dumps({"events": [{"timestamp": 1, "message": line} for line in lines]}),
    ".data.result[].values[][1]": loki,
    ".log // .message // ": lambda lines: "\n".join(json.dumps({"log": line}, indent=1) for line in lines),
    ".data.body": lambda lines: "\n".join(json.dumps({"id": 7, "data": {"body": f"{line:40}"}}) for line in lines),
}


@pytest.mark.parametrize("query", OTHERS)
def test_other_shapes_are_named(query: str) -> None:
    """With the command that unwraps them."""
    with pytest.raises(NotReadableError, match="this log is wrapped as JSON") as caught:
        read_stream(io.BytesIO(OTHERS[query](render.log()).encode()), "x.json")

    assert f"jq -r '{query}" in str(caught.value)
    assert str(caught.value).startswith("x.json: ")


def test_a_line_of_json_before_a_log() -> None:
    """What a launcher prints as JSON first does not make the log one of entries."""
    lines = ['{"level": "info", "msg": "starting"}', *render.log()]
    assert judge(read_stream(io.BytesIO(render.joined(lines))), render.want()).passed


def test_an_entry_with_a_version_is_no_report() -> None:
    """Labels of a log tool may be called like the keys of a report."""
    wrapped = [json.dumps({"labels": {"version": "7"}, "message": line}) for line in render.log()]
    assert judge(read_stream(io.BytesIO(render.joined(wrapped))), render.want()).passed
