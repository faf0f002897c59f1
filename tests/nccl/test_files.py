"""Logs from disk, pipes and streams: what each is taken for, how errors name it, and what an earlier log reached."""

import io
import json
import sys
from pathlib import Path

import pytest
from nccl_verdict.expectation import SizeThreshold
from nccl_verdict.files import NotReadableError, read_log, read_stream, since, text_of
from nccl_verdict.verdict import judge
from tests.nccl import render
from tests.nccl.render import GIB
from tests.nccl.reports import raw, report

LOG = render.joined(render.log())


class Pieces(io.RawIOBase):
    """A live pipe: each read gives what has come, and only one for all of the rest may wait."""

    def __init__(self, *pieces: bytes, waits: bool = False) -> None:
        self._pieces, self._waits = list(pieces), waits

    def read(self, size: int = -1) -> bytes:
        assert self._waits, f"waits for {size} bytes"
        rest, self._pieces = b"".join(self._pieces), []
        return rest

    def read1(self, size: int = -1) -> bytes:
        assert size != 0
        return self._pieces.pop(0) if self._pieces else b""


def test_tests_of_a_log_are_called_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So is that of a report; a dash is standard input."""
    (tmp_path / "log").write_bytes(LOG)
    (tmp_path / "report").write_bytes(raw(report()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOG)))
    (log,), (of_report,), (piped,) = (read_log(path) for path in (tmp_path / "log", tmp_path / "report", "-"))

    assert (log.source, log.is_json, log.total_rows) == (str(tmp_path / "log"), False, 4)
    assert (of_report.source, of_report.is_json, of_report.total_rows) == (str(tmp_path / "report"), True, 1)
    assert (piped.source, piped.total_rows) == ("standard input", 4)


@pytest.mark.parametrize("path", ["none.log", "a\0b"])
def test_what_cannot_be_opened_is_told_by_its_path(path: str) -> None:
    with pytest.raises(NotReadableError) as refused:
        read_log(path)
    assert str(refused.value).startswith(f"{path}: ")


def test_a_live_pipe_is_read_as_it_comes() -> None:
    """Nothing waits for a block: not the first line, by which the form is known, and not what follows it."""
    for lines in (render.log(), [json.dumps({"log": line}) for line in render.log()]):
        pieces = [f"{line}\n".encode() for line in lines]
        text = text_of(Pieces(*pieces))
        assert b"nThread" in getattr(text, "read1", text.read)(1 << 16)
        (run,) = read_stream(Pieces(*pieces))
        assert run.total_rows == 4


def test_json_over_several_lines_is_read_on() -> None:
    """A report that is printed with blanks comes to its key lines later; so does one behind empty lines."""
    for before in (b"", b"\n \n"):
        pieces = before + json.dumps(report(), indent=4).encode()
        cut = pieces.index(b'"version"') - 3
        (run,) = read_stream(Pieces(pieces[:cut], pieces[cut : cut + 40], pieces[cut + 40 :], waits=True))
        assert run.is_json


def test_the_slowest_rows_of_an_earlier_log_are_what_it_reached(tmp_path: Path) -> None:
    """They are taken of each collective and nominal size from 1 GiB on, over all tests in it."""
    rows = [
        render.log(busbw=[300.0, 310.0]),
        render.log(busbw=[305.0, 301.0, 320.0]),
        ["# Collective test starting: all_reduce_perf", *render.log(busbw=[200.0], collective="all_reduce")],
        [render.banner(GIB // 2, GIB // 2), render.row(GIB // 2, 1.0, 1.0, 16)],
        [render.banner(GIB, GIB), render.row(GIB, None, 1.0, 16)],
    ]
    (tmp_path / "log").write_bytes(render.joined([line for lines in rows for line in lines]))
    want = since(tmp_path / "log", render.want())

    assert want.expected == {
        "all_gather": (SizeThreshold(GIB, 300.0), SizeThreshold(2 * GIB, 301.0), SizeThreshold(4 * GIB, 320.0)),
        "all_reduce": (SizeThreshold(GIB, 200.0),),
    }
    assert want.thresholds == render.want().thresholds


@pytest.mark.parametrize(("times", "warned"), [(2.0, True), (1.6, True), (1.4, False), (0.5, False)])
def test_small_messages_that_take_longer_than_in_the_last_proof_are_warned_of(
    tmp_path: Path, times: float, warned: bool
) -> None:
    """Large ones reach what they did, and bandwidth alone would not tell."""

    def log(micros: float) -> list[str]:
        form = "{0:>12} {1:>13}  float  none  -1  {2:7.2f}  0.00  0.00  0  {2:7.2f}  0.00  0.00  0"
        rows = [form.format(size, size // 64, micros + power) for power, size in enumerate((1024, 2048, 4096, 8192))]
        lines = render.log()
        head = next(place for place, line in enumerate(lines) if "busbw" in line) + 1
        return [*lines[:head], *rows, *lines[head:]]

    (tmp_path / "last.log").write_bytes(render.joined(log(20.0)))
    (tmp_path / "run.log").write_bytes(render.joined(log(20.0 * times)))
    verdict = judge(read_log(tmp_path / "run.log"), since(tmp_path / "last.log", render.want()))
    (gate,) = [gate for gate in verdict.gates if gate.name == "bandwidth"]

    assert gate.passed
    assert ("small messages" in gate.warning) is warned


def test_a_log_without_figures_is_nothing_to_compare_with(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(render.joined([render.row(GIB, 1.0, 1.0, 16)]))
    assert since(tmp_path / "log", render.want()).expected == {"all_gather": (SizeThreshold(GIB, 1.0),)}
    (tmp_path / "log").write_bytes(render.joined([render.row(GIB - 1, None, None, 16)]))
    with pytest.raises(NotReadableError, match="log: no row"):
        since(tmp_path / "log", render.want())
