"""The text inside JSON entries, however they come; and what a shape that is not read is called."""

import io
import json
from typing import Any

import pytest
from nccl_verdict.reader import LONGEST
from nccl_verdict.wrapping import Unwrapped, is_wrapped, remedy

ANY = ".log // .message // .textPayload // .jsonPayload.message // .line // .msg // .MESSAGE"


class Drip(io.RawIOBase):
    """A stream that gives a few bytes at a time, and notes how many were asked for."""

    def __init__(self, raw: bytes, size: int = 7) -> None:
        self._rest, self._size = io.BytesIO(raw), size
        self.asked: list[int] = []

    def read(self, size: int = -1) -> bytes:
        self.asked.append(size)
        return self._rest.read(self._size)


def unwrapped(raw: bytes, drip: int) -> bytes:
    """All of the text."""
    stream, text = Unwrapped(Drip(raw, drip)), b""
    while chunk := stream.read():
        text += chunk
    return text


def entry(**keys: Any) -> bytes:
    """An entry as a tool writes it."""
    return json.dumps(keys).encode()


PART = "x" * 16384
LINES = {
    "docker": (entry(log="one\n"), b"one\n"),
    "a part of a line": (entry(log=PART), PART.encode()),
    "a part but for its end": (entry(log=PART[1:]), PART[1:].encode()),
    "a line that is nearly a part": (entry(log=PART[2:]), PART[2:].encode() + b"\n"),
    "a long line of another tool": (entry(message=PART), PART.encode() + b"\n"),
    "fluent": (entry(log="one"), b"one\n"),
    "CloudWatch": (entry(message="one"), b"one\n"),
    "Cloud Logging": (entry(textPayload="one"), b"one\n"),
    "Cloud Logging of JSON": (entry(jsonPayload={"message": "one"}), b"one\n"),
    "Loki": (entry(line="one"), b"one\n"),
    "zap": (entry(msg="one"), b"one\n"),
    "journald": (entry(MESSAGE="one"), b"one\n"),
    "the first key of several": (entry(msg="two", log="one"), b"one\n"),
    "a key that holds no text": (entry(log=7, jsonPayload="x", message="one"), b"one\n"),
    "an empty text": (entry(log=""), b"\n"),
    "letters that are no text": (entry(log="\ud800"), b"?\n"),
    "blanks before it": (b"  " + entry(log="one"), b"one\n"),
    "no text": (entry(level="info"), b"\n"),
    "an entry that is cut": (b'{"log": "one', b'{"log": "one\n'),
    "plain text": (b"plain {text}", b"plain {text}\n"),
    "a list": (b'["log"]', b'["log"]\n'),
    "nested too deep": (b'{"log":' + b"[" * 100_000, b'{"log":' + b"[" * 100_000 + b"\n"),
}


@pytest.mark.parametrize("name", LINES)
def test_an_entry_gives_its_line(name: str) -> None:
    """Its text with one line's end; what is no entry stays as it is, and an entry without text is an empty line."""
    raw, line = LINES[name]
    assert unwrapped(raw + b"\n" + raw + b"\n", 1 << 20) == line * 2 + b"\n"  # the end is one more line


@pytest.mark.parametrize("drip", [1, 7, 50, 1000])
def test_however_it_comes(drip: int) -> None:
    """Entries are put together from pieces, the last one without a line's end."""
    raw = b"\n".join(entry(log=f"line {number}\n", stream="stdout") for number in range(20))
    assert unwrapped(raw, drip) == b"".join(b"line %d\n" % number for number in range(20))


def test_an_entry_that_never_ends_is_given_as_it_is() -> None:
    """Beyond 64 lines of the longest that is read it comes in pieces, and nothing is lost."""
    raw = b'{"log": "' + b"x" * (100 * LONGEST)
    stream = Unwrapped(Drip(raw, LONGEST))
    pieces = list(iter(stream.read, b""))
    assert [len(piece) // LONGEST for piece in pieces] == [65, 35]
    assert b"".join(pieces) == raw + b"\n"


def test_how_much_is_asked_for() -> None:
    """As much as the reader asks for; a block where it does not say."""
    for size, asked in ((5, 5), (1, 1), (0, 1 << 18), (-1, 1 << 18)):
        stream = Drip(entry(log="one") + b"\n", 1000)
        assert Unwrapped(stream).read(size) == b"one\n"
        assert stream.asked[0] == asked


@pytest.mark.parametrize(
    ("start", "wrapped"),
    [
        (entry(log="one"), True),
        (b"\n  " + entry(log="one") + b" \nplain", True),
        (b"plain\n" + entry(log="one"), False),
        (entry(level="info") + b"\n" + entry(log="one"), False),
        (b'{"log": "on', False),
        (b"", False),
    ],
)
def test_what_is_wrapped(start: bytes, wrapped: bool) -> None:
    """A log whose first line is an entry with a text."""
    assert is_wrapped(start) is wrapped


@pytest.mark.parametrize(
    ("start", "told"),
    [
        (b'{"events": [{"message": "x"}]}', ("CloudWatch's list of events", "jq -r '.events[].message'")),
        (b'\n{\n "events" : [', ("CloudWatch's list of events", "jq -r '.events[].message'")),
        (b'{"status":"success","data":{"r', ("Loki's answer", "jq -r '.data.result[].values[][1]'")),
        (b'[\n {"x": 1}\n]', ("an array of entries", f"jq -r '.[] | {ANY}'")),
        (b'{\n "x": 1\n}', ("entries over several lines", f"jq -r '{ANY}'")),
        (b" {\r\n", ("entries over several lines", f"jq -r '{ANY}'")),
        (entry(x="long text", y="short", n=7), (".x",)),
        (entry(x="short", data={"body": "long text", "n": 7}), (".data.body",)),
        (entry(x={"y": {"z": "too deep"}}, w="w"), (".w",)),
        (entry(**{"a-b": "long text", "c": "x"}), None),
        (entry(n=7), None),
        (b"plain text", None),
        (b"[1, 2]", None),
        (b'{"cut": "on', None),
        (b"", None),
    ],
)
def test_what_unwraps_it(start: bytes, told: tuple[str, ...] | None) -> None:
    """The shape by its name, and the command; of an entry with unknown keys the longest text, one level deep."""
    if told and len(told) == 1:
        told = ("entries without a key that is known", f"jq -r '{told[0]}', if that is its text")
    assert remedy(start) == told
