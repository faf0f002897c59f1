"""``rdma-cluster verdict``: what a person reads, and how the command ends."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rdma_cluster.cli.app import run
from tests.nccl import render
from tests.nccl.cases import CASES

Said = tuple[int, str, str]
MACHINE = ["--machine", "a3-ultragpu-8g", "--nodes", "2"]
VERBATIM = sorted((Path(__file__).parents[3] / "shared" / "nccl-logs").rglob("*.log"))


@pytest.fixture
def verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Runs the command on a log: its status, and what it says."""

    def judge(text: bytes, *words: str) -> Said:
        (tmp_path / "run.log").write_bytes(text)
        code = run(["verdict", str(tmp_path / "run.log"), *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return judge


def log(**more) -> bytes:
    return render.joined(render.log(**more))


def test_proved(verdict: Callable[..., Said]) -> None:
    """Status 0, and one sentence at the end."""
    code, out, _ = verdict(log(), *MACHINE, "--collective", "all_gather")

    assert code == 0
    assert out.splitlines()[0].startswith("passed; all_gather on 2 x 8 GPUs of a3-ultragpu-8g; 325.72 GB/s")
    assert out.splitlines()[-1] == "The fabric of 2 x a3-ultragpu-8g is proved."


def test_not_proved(verdict: Callable[..., Said]) -> None:
    """Status 1; the fact, its most likely cause, and what to run next."""
    lines = [line.replace("/GDRDMA", "") if "node-1:7" in line and " [3] " in line else line for line in render.log()]
    code, out, _ = verdict(render.joined(lines), *MACHINE)

    assert code == 1
    assert "gdr: its NIC is missing from the claim" in out
    assert "not proved: gdr, 2 of 32 channels without GDRDMA, all on node-1 rail 3." in " ".join(out.split())
    assert out.splitlines()[-1].startswith("Next: rdma-cluster claims a3-ultragpu-8g --whole")


def test_slower_than_the_last_proof(verdict: Callable[..., Said], tmp_path: Path) -> None:
    """A warning, and the fabric is proved all the same; without a last proof the published run is what is compared."""
    (tmp_path / "last.log").write_bytes(log(busbw=[380.0] * 4))
    code, out, _ = verdict(log(), *MACHINE, "--last", str(tmp_path / "last.log"))

    assert code == 0
    assert "325.72 GB/s at 8 GiB reaches the threshold, and is 14% below the 380 GB/s of the last proof" in " ".join(
        out.split()
    )
    assert "warnings: bandwidth" in out.splitlines()[0]
    code, out, _ = verdict(log(busbw=[266.0] * 4), *MACHINE)
    assert (code, "of the published run" in " ".join(out.split())) == (0, True)
    assert verdict(log(), *MACHINE, "--last", str(tmp_path / "none.log"))[0] == 2


def test_own_threshold(verdict: Callable[..., Said]) -> None:
    """It replaces the published one, and the report says whose it is."""
    for threshold, code in (("all_gather:1G=300", 0), ("all_gather:1G=324", 1)):
        ended, out, _ = verdict(log(), *MACHINE, "--threshold", threshold)

        assert ended == code
        assert "(yours)" in " ".join(out.split())
        assert "the catalogue's figure" in out
    report = json.loads(verdict(log(), *MACHINE, "--threshold", "all_gather:1G=300", "--json")[1])
    assert report["thresholds_from"] == "yours"


def test_machine_without_a_published_threshold(verdict: Callable[..., Said]) -> None:
    """What to give is said; given, it is judged by that."""
    words = ["--machine", "Standard_ND96isr_H200_v5", "--nodes", "2", "--collective", "all_gather"]
    text = log(form="InfiniBand").replace(b"NVIDIA H100 80GB HBM3", b"NVIDIA H200")

    code, out, _ = verdict(text, *words)
    assert code == 1
    assert "give one of your own: --threshold all_gather:1G=GBPS" in out
    assert verdict(text, *words, "--threshold", "all_gather:1G=300")[0] == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--threshold", "300"], "--threshold: got '300'; write COLLECTIVE:SIZE=GBPS, e.g. all_reduce:1G=300"),
        (
            ["--threshold", "all_reduce:1G=3", "--collective", "all_gather"],
            "threshold: given for all_reduce, and all_gather",
        ),
        (["--waive", "speed"], "--waive: got 'speed'; no such gate"),
        (["--nvlink"], "ends at the node; leave it out"),
        (["--silence", "90s"], "--silence: it counts while a log is followed; add --follow"),
        (["--silence", "soon", "--follow"], "got 'soon'; expected a time as 90s, 10m or 2h"),
    ],
)
def test_wrong_words(verdict: Callable[..., Said], words: list[str], told: str) -> None:
    """Status 2 and one line."""
    code, out, err = verdict(log(), *MACHINE, *words)

    assert (code, out) == (2, "")
    assert told in err


def test_wrapped_log_is_named(verdict: Callable[..., Said]) -> None:
    """With what unwraps it."""
    text = json.dumps([{"textPayload": line} for line in render.log()]).encode()
    code, _, err = verdict(text, *MACHINE)

    assert code == 2
    assert "unwrap it with jq -r '.[] | .log // " in err


def test_logs_that_do_not_go_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One log is followed, and a picture is of one verdict."""
    for logs, option, told in (
        (["-", "x.log"], ["--follow"], "--follow: one log can be followed; name one, or - for standard input"),
        ([str(tmp_path)], ["--follow"], "--follow: one log can be followed"),
        ([str(tmp_path)], ["--plot", str(tmp_path / "x.svg")], "--plot: a picture shows one verdict; name a log"),
    ):
        assert run(["verdict", *logs, *MACHINE, *option]) == 2
        assert told in capsys.readouterr().err


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """``-`` reads it, and with --follow as it comes."""
    for follow in ([], ["--follow"]):
        read, write = os.pipe()
        with os.fdopen(read) as stream, monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", stream)
            assert os.write(write, log()) == len(log())
            os.close(write)
            assert run(["verdict", "-", *MACHINE, *follow]) == 0
        assert capsys.readouterr().out.endswith("The fabric of 2 x a3-ultragpu-8g is proved.\n")


def test_a_followed_log_that_fails(verdict: Callable[..., Said], monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends at the line, also in a file that has no end; an interrupt ends it with status 130 and no traceback."""
    code, out, err = verdict(log() + b"node-1: Test NCCL failure common.cu:1 'remote'\n", *MACHINE, "--follow")
    assert (code, err) == (1, "read no further than the line that says it failed\n")
    assert "on node-1" in " ".join(out.split())

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "read", interrupted)
    assert verdict(log(), *MACHINE, "--follow") == (130, "", "interrupted: judged what is there\n")


def test_a_folder_is_a_table(verdict: Callable[..., Said], tmp_path: Path) -> None:
    """A line a test, and status 1 if any fails; none at all is no proof."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "good.log").write_bytes(log())
    (tmp_path / "runs" / "lost.log").touch()
    folder = str(tmp_path / "runs")
    code, out, _ = verdict(b"", folder, *MACHINE)
    assert code == 1
    assert "2 of 3 tests failed." in out
    assert [line.split()[0] for line in out.splitlines() if ".log" in line] == ["FAIL", "pass", "FAIL"]

    (tmp_path / "runs" / "lost.log").unlink()
    assert run(["verdict", folder, *MACHINE]) == 0
    assert run(["verdict", folder, *MACHINE, "--json"]) == 0
    (tmp_path / "runs" / "good.log").rename(tmp_path / "runs" / "good.bin")
    assert run(["verdict", folder, *MACHINE]) == 2


def test_no_log_ends_in_a_traceback(verdict: Callable[..., Said]) -> None:
    """Also where no row is judged, or where there is none."""
    for case in CASES:
        code, out, _ = verdict(case.text, "--machine", "a3-highgpu-8g", "--nodes", "2")

        assert code == 1, case.name
        assert "is not proved: " in out


@pytest.mark.skipif(
    not VERBATIM, reason="no logs: put them into ../shared/nccl-logs from where published.toml and twins.py say"
)
def test_no_verbatim_log_ends_in_a_traceback(verdict: Callable[..., Said]) -> None:
    """Those with NCCL's own lines, too."""
    for path in VERBATIM:
        assert verdict(path.read_bytes(), "--machine", "p5.48xlarge", "--nodes", "2")[0] in (0, 1), path.name
