"""Logs from disk, pipes and streams: what each is taken for, how errors name it, and what an earlier log reached."""

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from nccl_verdict.expectation import SizeThreshold
from nccl_verdict.files import NotReadableError, judge_logs, read_log, read_stream, since, text_of
from tests.nccl import render
from tests.nccl.test_report import raw, report

GIB = 1 << 30
LOG = render.joined(render.log())


class Pieces(io.RawIOBase):
    """A live pipe: each read gives what has come, and none may wait for more than that."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = list(pieces)

    def read(self, size: int = -1) -> bytes:
        raise AssertionError(f"waits for {size} bytes")

    def read1(self, size: int = -1) -> bytes:
        assert size != 0
        return self._pieces.pop(0) if self._pieces else b""


def test_a_path_is_the_source(tmp_path: Path) -> None:
    """Of a log's tests and of a report's."""
    (tmp_path / "log").write_bytes(LOG)
    (tmp_path / "report").write_bytes(raw(report()))
    for name, is_json in (("log", False), ("report", True)):
        (run,) = read_log(tmp_path / name)
        assert (run.source, run.is_json, run.total_rows) == (str(tmp_path / name), is_json, 1 if is_json else 4)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash is a pipe, and is called so."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOG)))
    (run,) = read_log("-")
    assert (run.source, run.total_rows) == ("standard input", 4)


@pytest.mark.parametrize(
    ("path", "words"), [("none.log", "none.log: No such file or directory"), ("a\0b", "a\0b: embedded null byte")]
)
def test_what_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, words: str) -> None:
    """The path and the reason, and no traceback."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotReadableError) as refused:
        read_log(path)
    assert str(refused.value) == words


def test_a_wrapped_log_names_itself_once(tmp_path: Path) -> None:
    """By its path, or not at all where it has none."""
    text = json.dumps([{"log": "x"}], indent=1).encode()
    (tmp_path / "x.json").write_bytes(text)
    said = "this log is wrapped as JSON (an array of entries): unwrap it with jq -r '.[] | .log // "
    for refuse, where in (
        (lambda: read_log(tmp_path / "x.json"), f"{tmp_path}/x.json: "),
        (lambda: read_stream(io.BytesIO(text)), ""),
    ):
        with pytest.raises(NotReadableError) as refused:
            refuse()
        assert str(refused.value).startswith(where + said)


@pytest.mark.parametrize("lines", [render.log(), [json.dumps({"log": line}) for line in render.log()]])
def test_a_live_pipe_is_read_as_it_comes(lines: Sequence[str]) -> None:
    """Nothing waits for a block: not the first line, by which the form is known, and not what follows it."""
    pieces = [f"{line}\n".encode() for line in lines]
    text = text_of(Pieces(*pieces))
    read = getattr(text, "read1", text.read)
    assert b"nThread" in read(1 << 16) and len(b"".join(iter(lambda: read(1 << 16), b""))) > 1000
    (run,) = read_stream(Pieces(*pieces))
    assert run.total_rows == 4


def test_the_first_line_may_come_in_pieces() -> None:
    """An entry is known when it is whole; plain text when its line is."""
    entry = json.dumps({"log": "# nThread"}).encode() + b"\n"
    for pieces, text in (((entry[:5], entry[5:]), b"# nThread\n"), ((b"# nT", b"hread\nx"), b"# nThread\nx")):
        assert text_of(Pieces(*pieces)).read(1 << 16) == text


def test_what_was_read_already_is_given_back() -> None:
    """The start that a caller hands in stands before the rest of the stream."""
    text = text_of(io.BytesIO(b" of it"), start=b"the start")
    assert [text.read(99), text.read(2), text.read(99), text.read(99)] == [b"the start", b" o", b"f it", b""]


class Buffered(Pieces):
    """One that also gives all that is still to come, when it is asked to wait for it."""

    def read(self, size: int = -1) -> bytes:
        rest, self._pieces = b"".join(self._pieces), []
        return rest


def test_json_over_several_lines_is_read_on() -> None:
    """A report that is printed with blanks comes to its key lines later; so does one behind empty lines."""
    for before in (b"", b"\n \n"):
        pieces = before + json.dumps(report(), indent=4).encode()
        cut = pieces.index(b'"version"') - 3
        (run,) = read_stream(Buffered(pieces[:cut], pieces[cut : cut + 40], pieces[cut + 40 :]))
        assert run.is_json


def test_one_log_needs_no_name(tmp_path: Path) -> None:
    """Evidence names the log where there are several; an iterator of paths will do."""
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(LOG)
    for names, source in (("a", ""), ("ab", str(tmp_path / "a"))):
        verdict = judge_logs((tmp_path / name for name in names), render.want())
        assert {gate.source for gate in verdict.gates} == {source}
    assert judge_logs([tmp_path / "a"], render.want(threshold=999.0), ["bandwidth"]).passed


def test_what_an_earlier_log_reached(tmp_path: Path) -> None:
    """The slowest row of each collective and nominal size from 1 GiB on, of all tests in it."""
    rows = [
        render.log(busbw=[300.0, 310.0]),
        render.log(busbw=[305.0, 301.0, 320.0]),
        ["# Collective test starting: all_reduce_perf", *render.log(busbw=[200.0], collective="all_reduce")],
        [render.banner(GIB // 2, GIB // 2), render.row(GIB // 2, 1.0, 1.0, 16)],
        [render.banner(GIB, GIB), render.row(GIB, None, 1.0, 16)],
    ]  # fmt: skip
    (tmp_path / "log").write_bytes(render.joined([line for lines in rows for line in lines]))
    want = since(tmp_path / "log", render.want())

    assert want.expected == {
        "all_gather": (SizeThreshold(GIB, 300.0), SizeThreshold(2 * GIB, 301.0), SizeThreshold(4 * GIB, 320.0)),
        "all_reduce": (SizeThreshold(GIB, 200.0),),
    }
    assert (want.expected_from, want.thresholds) == ("the last proof", render.want().thresholds)


def test_nothing_to_compare_with(tmp_path: Path) -> None:
    """A log without a figure of 1 GiB or more is refused; one GiB is enough."""
    for size, refused in ((GIB - 1, True), (GIB, False)):
        (tmp_path / "log").write_bytes(render.joined([render.row(size, 1.0, 1.0, 16)]))
        if refused:
            with pytest.raises(NotReadableError, match=r"log: no row of 1 GiB or more to compare with$"):
                since(tmp_path / "log", render.want())
        else:
            assert since(tmp_path / "log", render.want()).expected == {"all_gather": (SizeThreshold(GIB, 1.0),)}
