"""`rdma-cluster verdict`: what a person reads of a log, and how the command ends."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nccl_verdict.reader import read_bytes
from rdma_cluster.cli import verdict as verb
from tests.cli.commands import command
from tests.nccl import render
from tests.nccl.cases import CASES

MACHINE = ("--machine", "a3-ultragpu-8g", "--nodes", "2")
PROVED = "The fabric of 2 x a3-ultragpu-8g is proved.\n"
Said = tuple[int, str, str]
Judge = Callable[..., Said]


def log(**more: Any) -> bytes:
    """The text of a good log, or of one that differs from it in this."""
    return render.joined(render.log(**more))


@pytest.fixture
def verdict(tmp_path: Path) -> Judge:
    """Runs the command on a log, with all white space as single spaces."""

    def judge(text: bytes, *words: str) -> Said:
        (tmp_path / "run.log").write_bytes(text)
        code, out, err = command("verdict", str(tmp_path / "run.log"), *words)
        return code, " ".join(out.split()), err

    return judge


def test_a_proved_fabric_is_said_first_and_last(verdict: Judge):
    code, out, _ = verdict(log(), *MACHINE, "--collective", "all_gather")

    assert code == 0 and out.endswith(PROVED.strip())
    assert out.startswith("passed; all_gather on 2 x 8 GPUs of a3-ultragpu-8g; 325.72 GB/s")


def test_a_failed_proof_says_the_likely_cause_and_what_to_run_next(verdict: Judge):
    lines = [line.replace("/GDRDMA", "") if "node-1:7" in line and " [3] " in line else line for line in render.log()]
    code, out, _ = verdict(render.joined(lines), *MACHINE)

    assert code == 1 and "gdr: its NIC is missing from the claim" in out
    assert "not proved: gdr, 2 of 32 channels without GDRDMA, all on node-1 rail 3." in out
    assert "Next: rdma-cluster claims a3-ultragpu-8g --whole" in out


def test_a_run_below_the_last_proof_gets_a_warning(verdict: Judge, tmp_path: Path):
    """The fabric is proved all the same; without a last proof the published run is what is compared."""
    (tmp_path / "last.log").write_bytes(log(busbw=[380.0] * 4))
    code, out, _ = verdict(log(), *MACHINE, "--last", str(tmp_path / "last.log"))

    assert code == 0 and "warnings: bandwidth" in out and "14% below the 380 GB/s of the last proof" in out
    code, out, _ = verdict(log(busbw=[266.0] * 4), *MACHINE)
    assert code == 0 and "of the published run" in out
    assert verdict(log(), *MACHINE, "--last", str(tmp_path / "none.log"))[0] == 2


@pytest.mark.parametrize(("gigabytes", "code"), [("300", 0), ("324", 1)])
def test_a_threshold_of_ones_own_replaces_the_published_one(verdict: Judge, gigabytes: str, code: int):
    words = (*MACHINE, "--threshold", f"all_gather:1G={gigabytes}")
    ended, out, _ = verdict(log(), *words)

    assert (ended, "(yours)" in out) == (code, True)
    assert json.loads(verdict(log(), *words, "--json")[1])["thresholds_from"] == "yours"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--gpus-per-node", "0"), ["--gpus-per-node: ", "8"]),
        (("--gpus-per-node", "9"), ["--gpus-per-node: ", "8"]),
        (("--collective", "all_gathers"), ["--collective: ", "all_gather,"]),
        (("--nvlink",), ["--nvlink: ", "a3-ultragpu-8g"]),
        (("--waive", "gdr", "--waive", "speed"), ["--waive: ", "'speed'", "bandwidth"]),
        (("--plot", "/no/such/plot.svg"), ["--plot: ", "/no/such/plot.svg"]),
        (("--silence", "90s"), ["--silence: ", "--follow"]),
        (("--threshold", "all_reduce:1G=3", "--collective", "all_gather"), ["threshold", "all_reduce", "all_gather"]),
        (("--machine", "a3-ultragpu-9g"), ["--machine: ", "a3-ultragpu-8g"]),
    ],
)
def test_a_wrong_option_is_refused_before_the_log_is_read(words: tuple[str, ...], named: list[str]):
    code, out, err = command("verdict", "none.log", *MACHINE, *words)

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert all(each in err for each in named)


def test_every_wrong_option_is_told_at_once(tmp_path: Path):
    """First those that are wrong by themselves, then those that do not go together."""
    words = ("--waive", "x", "--collective", "y", "--nvlink", "--gpus-per-node", "9")
    err = command("verdict", "none.log", *MACHINE, *words)[2]
    assert [line.partition(":")[0] for line in err.splitlines()] == [
        "--waive", "--gpus-per-node", "--collective", "--nvlink",
    ]  # fmt: skip
    err = command("verdict", str(tmp_path), *MACHINE, "--follow", "--plot", str(tmp_path / "x.svg"))[2]
    assert [line.partition(":")[0] for line in err.splitlines()] == ["--plot", "--follow"]
    assert command("verdict", "-", "x.log", *MACHINE, "--follow")[2].startswith("--follow: ")


def test_a_file_without_a_log_is_refused_and_nothing_is_drawn(verdict: Judge, tmp_path: Path):
    code, out, err = verdict(b"hello\n", *MACHINE, "--plot", str(tmp_path / "a.svg"))

    assert (code, out) == (2, "") and f"{tmp_path}/run.log" in err
    assert not (tmp_path / "a.svg").exists()


def test_a_plot_is_drawn_beside_the_verdict(verdict: Judge, tmp_path: Path):
    code, out, _ = verdict(log(), *MACHINE, "--plot", str(tmp_path / "a.svg"))

    assert code == 0 and out.endswith(PROVED.strip())
    assert (tmp_path / "a.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("follow", [(), ("--follow",)], ids=["at once", "as it comes"])
def test_standard_input_is_a_log_too(monkeypatch: pytest.MonkeyPatch, follow: tuple[str, ...]):
    read, write = os.pipe()
    with os.fdopen(read) as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", stream)
        assert os.write(write, log()) == len(log())
        os.close(write)
        code, out, _ = command("verdict", "-", *MACHINE, *follow)
    assert code == 0 and out.endswith(PROVED)


@pytest.mark.parametrize(
    ("why", "code", "said"),
    [("end", 0, ""), ("silence", 0, "--silence"), ("failure", 0, "failed"), ("interrupt", 130, "interrupted")],
)
def test_a_followed_log_is_judged_as_far_as_it_was_read(
    verdict: Judge, monkeypatch: pytest.MonkeyPatch, why: str, code: int, said: str
):
    """Why it was read no further is told; where no log was read there is nothing to judge."""
    silences: list[float] = []
    runs = iter([read_bytes(log()), read_bytes(log()), []])

    def live(number: int, silence: float) -> None:
        os.fstat(number)  # an open file
        silences.append(silence)

    monkeypatch.setattr(verb, "Live", live)
    monkeypatch.setattr(verb, "read_on", lambda _: (next(runs), why))  # nobody waits for it to grow
    found, out, err = verdict(log(), *MACHINE, "--follow")
    assert (found, out.endswith(PROVED.strip())) == (code, True) and said in err and bool(said) == bool(err)
    verdict(log(), *MACHINE, "--follow", "--silence", "2m")
    assert silences == [600.0, 120.0]
    found, out, err = verdict(b"", *MACHINE, "--follow")
    assert (found, out) == (130 if why == "interrupt" else 2, "") and said in err


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of four logs: one is too slow, one good, one of another fabric, and one without a test."""
    lines = [line.replace("/GDRDMA", "") if "[3] " in line else line for line in render.log()]
    for name, text in (
        ("a-slow", log(busbw=[100.0] * 4)), ("b-good", log()), ("c-gdr", render.joined(lines)), ("d-none", b"hello\n"),
    ):  # fmt: skip
        (tmp_path / f"{name}.log").write_bytes(text)
    return tmp_path


def test_a_folder_is_a_table_with_a_row_for_each_test(folder: Path):
    """A row has the figure of the largest size and the first gate that failed; one failed test is exit code 1."""
    code, out, err = command("verdict", str(folder), *MACHINE)
    rows = [line.split() for line in out.splitlines()]

    assert (code, err, out.splitlines()[-1]) == (1, "", "3 of 4 tests failed.")
    assert [row[:4] for row in rows[3:7]] == [
        ["FAIL", "a-slow.log", "all_gather", "100.00"], ["pass", "b-good.log", "all_gather", "325.72"],
        ["FAIL", "c-gdr.log", "all_gather", "325.72"], ["FAIL", "d-none.log", "all_gather", "-"],
    ]  # fmt: skip
    assert [row[4:5] for row in rows[3:6]] == [["bandwidth:"], [], ["gdr:"]]
    found = json.loads(command("verdict", str(folder), *MACHINE, "--json")[1])
    assert [each.pop("log") for each in found] == ["a-slow.log", "b-good.log", "c-gdr.log", "d-none.log"]
    assert found[1].keys() == json.loads(command("verdict", f"{folder}/b-good.log", *MACHINE, "--json")[1]).keys()


def test_a_folder_names_what_is_at_fault_as_its_logs_by_name_do(tmp_path: Path):
    """Six nodes, of which three and three see each other well: the way between the groups."""
    pairs = [(f"n{a}", f"n{b}") for a in range(6) for b in range(a)]
    for one, two in pairs:
        slow = (one < "n3") != (two < "n3")
        (tmp_path / f"{one}-{two}.log").write_bytes(log(names=[one, two], busbw=[90.0 if slow else 324.0] * 4))
    by_folder = command("verdict", str(tmp_path), *MACHINE)[1]
    by_name = command("verdict", *map(str, sorted(tmp_path.iterdir())), *MACHINE)[1]
    (cut,) = [line for line in by_name.splitlines() if line.startswith("cut ")]

    assert cut.startswith("cut n0 n1 n2 | n3 n4 n5: ")
    assert cut in by_folder.splitlines()


def test_a_folder_passes_where_all_its_tests_do_and_without_any_is_refused(folder: Path):
    for name in ("a-slow", "c-gdr", "d-none"):
        (folder / f"{name}.log").unlink()
    code, out, _ = command("verdict", str(folder), *MACHINE)
    assert (code, out.splitlines()[-1]) == (0, "All 1 tests passed.")
    (folder / "b-good.log").rename(folder / "b-good.bin")
    code, out, err = command("verdict", str(folder), *MACHINE)
    assert (code, out) == (2, "") and str(folder) in err


def test_no_log_ends_in_a_traceback(verdict: Judge):
    """It does so neither where no row is judged nor where there is none."""
    for case in CASES:
        code, out, _ = verdict(case.text, "--machine", "a3-highgpu-8g", "--nodes", "2")

        assert code == 1, case.name
        assert "is not proved: " in out
