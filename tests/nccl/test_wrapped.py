"""Logs that a log tool wrapped as JSON are read entry by entry; a shape that is not read is named with its remedy."""

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from nccl_verdict.files import NotReadableError, read_stream
from nccl_verdict.verdict import Verdict, judge
from nccl_verdict.wrapping import Unwrapped, remedy
from tests.nccl import render
from tests.nccl.judging import LOG

ENTRIES: dict[str, Callable[[str], dict[str, Any]]] = {
    "docker": lambda line: {"log": f"{line}\n", "stream": "stdout", "time": "2026-11-16T10:00:00Z"},
    "fluent": lambda line: {"time": "2026-11-16T10:00:00Z", "log": line, "kubernetes": {"pod_name": "nccl-0"}},
    "Cloud Logging": lambda line: {"insertId": "x", "textPayload": line, "severity": "INFO"},
    "CloudWatch": lambda line: {"timestamp": 1763287200000, "message": line},
    "Cloud Logging of JSON": lambda line: {"insertId": "x", "jsonPayload": {"message": line, "level": "info"}},
    "Loki": lambda line: {"labels": {"pod": "nccl-0"}, "line": line, "timestamp": "2026-11-16T10:00:00Z"},
    "zap": lambda line: {"msg": line},
    "journald": lambda line: {"MESSAGE": line},
    "coloured": lambda line: {"log": f"\x1b[36m{line}\x1b[0m\n", "stream": "stderr"},
    "labels like a report's": lambda line: {"labels": {"version": "7"}, "message": line},
}


def verdict(lines: list[str], form: str = "gIB") -> Verdict:
    return judge(read_stream(io.BytesIO(render.joined(lines))), render.want(form))


@pytest.mark.parametrize("tool", ENTRIES)
def test_an_entry_a_line_is_read(tool: str) -> None:
    """A healthy log passes, and a change shows as in plain text."""
    for form in ("gIB", "InfiniBand, HPC-X v10"):
        wrapped = [json.dumps(ENTRIES[tool](line)) for line in render.log(form=form)]

        assert verdict(wrapped, form).passed
        bad = [line.replace("/GDRDMA", "") for line in wrapped]
        assert [gate.name for gate in verdict(bad, form).failed] == ["gdr"]


ANY = ".[] | .log // .message // "
SHAPES: dict[str, Callable[[list[str]], str]] = {
    ANY: lambda lines: json.dumps([{"textPayload": line} for line in lines], indent=2),
    ".events[].message": lambda lines: json.dumps({"events": [{"timestamp": 1, "message": line} for line in lines]}),
    ".data.result[].values[][1]": lambda lines: json.dumps(
        {
            "status": "success",
            "data": {"resultType": "streams", "result": [{"values": [["1", line] for line in lines]}]},
        }
    ),
    ".log // .message // ": lambda lines: "\n".join(json.dumps({"log": line}, indent=1) for line in lines),
    ".data.body": lambda lines: "\n".join(json.dumps({"id": 7, "data": {"body": f"{line:40}"}}) for line in lines),
}


@pytest.mark.parametrize("query", SHAPES)
def test_a_shape_that_is_not_read_is_refused_with_the_command_that_unwraps_it(query: str) -> None:
    text = SHAPES[query](LOG).encode()
    for source, begins in (("x.json", "x.json: this log"), ("", "this log")):
        with pytest.raises(NotReadableError) as refused:
            read_stream(io.BytesIO(text), source)
        assert f"jq -r '{query}" in str(refused.value)
        assert str(refused.value).startswith(begins)


class Drip(io.RawIOBase):
    """A stream that gives some bytes at a time."""

    def __init__(self, raw: bytes, size: int) -> None:
        self._rest, self._size = io.BytesIO(raw), size

    def read(self, size: int = -1) -> bytes:
        return self._rest.read(self._size)


def entry(**keys: Any) -> bytes:
    """An entry as a tool writes it."""
    return json.dumps(keys).encode()


PART = "x" * 16384
LINES = {
    "a text with its line's end": (entry(log="one\n"), b"one\n"),
    "a text without": (entry(log="one"), b"one\n"),
    "a part of a line that Docker cut": (entry(log=PART), PART.encode()),
    "a part but for its end": (entry(log=PART[1:]), PART[1:].encode()),
    "a line that is nearly a part": (entry(log=PART[2:]), PART[2:].encode() + b"\n"),
    "a long line of another tool": (entry(message=PART), PART.encode() + b"\n"),
    "the first key of several": (entry(msg="two", log="one"), b"one\n"),
    "a key that holds no text": (entry(log=7, jsonPayload="x", message="one"), b"one\n"),
    "letters that are no text": (entry(log="\ud800"), b"?\n"),
    "blanks before it": (b"  " + entry(log="one"), b"one\n"),
    "an entry without text": (entry(level="info"), b"\n"),
    "an entry that is cut": (b'{"log": "one', b'{"log": "one\n'),
    "plain text": (b"plain {text}", b"plain {text}\n"),
    "nested too deep": (b'{"log":' + b"[" * 100_000, b'{"log":' + b"[" * 100_000 + b"\n"),
}


@pytest.mark.parametrize("name", LINES)
def test_an_entry_gives_its_text_with_one_lines_end(name: str) -> None:
    """What is no entry stays as it is, however the bytes come."""
    raw, line = LINES[name]
    for drip in (1000, 1 << 20):
        stream = Unwrapped(Drip(raw + b"\n" + raw + b"\n", drip))
        assert b"".join(iter(stream.read, b"")) == line * 2 + b"\n"  # the end is one more line


@pytest.mark.parametrize(
    ("start", "command"),
    [
        (b'\n{\n "events" : [', "jq -r '.events[].message'"),
        (b'{"status":"success","data":{"r', "jq -r '.data.result[].values[][1]'"),
        (b" {\r\n", "jq -r '.log // .message // .textPayload"),
        (entry(x="long text", y="short", n=7), "jq -r '.x'"),
        (entry(x={"y": {"z": "too deep"}}, w="w"), "jq -r '.w'"),
        (entry(**{"a-b": "long text", "c": "x"}), None),
        (b'{"cut": "on', None),
    ],
)
def test_of_unknown_keys_the_longest_text_is_unwrapped(start: bytes, command: str | None) -> None:
    """One level deep, where its name needs no quotes."""
    told = remedy(start)
    assert (told and command and told[1].startswith(command)) or (told is command is None)
