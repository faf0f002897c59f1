"""``rdma-cluster verdict``: each option at its place, what does not go together, and a folder's table line by line."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nccl_verdict.expectation import BadExpectationError
from nccl_verdict.reader import read_bytes
from rdma_cluster.cli import verdict as verb
from tests.cli.commands import command
from tests.nccl import render

MACHINE = ("--machine", "a3-ultragpu-8g", "--nodes", "2")
RACK = ("--machine", "p6e-gb200.36xlarge", "--nodes", "2")
PROVED = "The fabric of 2 x a3-ultragpu-8g is proved."


def log(**more: Any) -> bytes:
    return render.joined(render.log(**more))


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A good log."""
    (tmp_path / "run.log").write_bytes(log())
    return str(tmp_path / "run.log")


@pytest.mark.parametrize(
    ("words", "reaches"),
    [
        (MACHINE, {}),
        ((*MACHINE, "--gpus-per-node", "4"), {"gpus_per_node": 4}),
        ((*MACHINE, "--collective", "all_gather"), {"collective": "all_gather"}),
        ((*RACK, "--nvlink"), {"nvlink": True}),
        (RACK, {}),
    ],
)
def test_what_is_expected(file: str, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], reaches: dict[str, Any]):
    """Each option, or that nothing is said: whether by NVLink is then the machine's to say."""
    asked: list[Any] = []

    def expect(machine: Any, **how: Any) -> Any:
        asked.append((machine.name, how))
        raise BadExpectationError("cannot be")

    monkeypatch.setattr(verb, "expect", expect)
    assert command("verdict", file, *words) == (2, "", "cannot be\n")
    nothing = {"nodes": 2, "gpus_per_node": None, "collective": None, "nvlink": None}
    assert asked == [(words[1], {**nothing, "own_thresholds": asked[0][1]["own_thresholds"], **reaches})]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--gpus-per-node", "0"), "--gpus-per-node: got 0; a3-ultragpu-8g has 8, take 1 or more of them"),
        (("--gpus-per-node", "9"), "--gpus-per-node: got 9; a3-ultragpu-8g has 8, take 1 or more of them"),
        (("--collective", "all_gathers"), "--collective: got 'all_gathers'; nccl-tests has "),
        (("--nvlink",), "--nvlink: NVLink of a3-ultragpu-8g ends at the node; leave it out"),
        (("--waive", "gdr", "--waive", "speed"), "--waive: got 'speed'; no such gate, known are "),
        (("--plot", "/no/such/plot.svg"), "--plot: '/no/such/plot.svg' cannot be written; name a file in a folder "),
        (("--silence", "90s"), "--silence: it counts while a log is followed; add --follow"),
    ],
)
def test_what_is_refused(file: str, words: tuple[str, ...], said: str):
    """In one line, before the log is read."""
    code, out, err = command("verdict", f"{file}.none", *MACHINE, *words)

    assert (code, out, err.count("\n")) == (2, "", 1) and err.startswith(said)


def test_every_wrong_option_is_told_at_once(file: str):
    """Of the options, and then of what does not go together."""
    code, _, err = command(
        "verdict", file, *MACHINE, "--waive", "x", "--collective", "y", "--nvlink", "--gpus-per-node", "9"
    )
    named = [line.partition(":")[0] for line in err.splitlines()]
    assert (code, named) == (2, ["--waive", "--gpus-per-node", "--collective", "--nvlink"])
    code, _, err = command("verdict", str(Path(file).parent), *MACHINE, "--follow", "--plot", f"{file}.svg")
    assert (code, err) == (
        2,
        "--plot: a picture shows one verdict; name a log, and no folder or archive\n"
        "--follow: one log can be followed; name one, or - for standard input\n",
    )
    assert command("verdict", file, file, *MACHINE, "--follow")[2].startswith("--follow: one log can be followed")


def test_what_is_allowed(file: str):
    """The neighbours of what is refused: as few GPUs as one, all of them, gates that there are."""
    for words in (("--gpus-per-node", "1"), ("--gpus-per-node", "8"), ("--waive", "bandwidth"), ()):
        assert command("verdict", file, *MACHINE, *words)[0] in (0, 1)
    assert command("verdict", file, *MACHINE, "--collective", "all_gather")[0] == 0


def test_a_machine_that_nobody_knows(file: str):
    """With the nearest."""
    code, out, err = command("verdict", file, "--machine", "a3-ultragpu-9g", "--nodes", "2")

    assert (code, out) == (2, "") and err.startswith("--machine: unknown machine 'a3-ultragpu-9g'; nearest are a3-")


def test_a_file_without_a_log(tmp_path: Path):
    """Whatever it holds; with a plot nothing is drawn."""
    (tmp_path / "a.log").write_text("hello\n")
    words = ("verdict", str(tmp_path / "a.log"), *MACHINE, "--plot", str(tmp_path / "a.svg"))

    assert command(*words) == (2, "", f"nothing from nccl-tests in {tmp_path}/a.log; pass a log of a run\n")
    assert not (tmp_path / "a.svg").exists()


def test_a_plot_beside_the_verdict(file: str):
    """It is drawn into the file, and the verdict is printed all the same."""
    code, out, _ = command("verdict", file, *MACHINE, "--plot", f"{file}.svg")

    assert code == 0 and out.endswith(f"{PROVED}\n")
    assert Path(f"{file}.svg").read_text().startswith("<svg")


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[float]]:
    """Reading a log ends for this reason, and tells with which silence it was read."""

    def because(why: str) -> list[float]:
        silences: list[float] = []
        runs = iter([read_bytes(log()), read_bytes(log()), []])

        def live(number: int, silence: float) -> None:
            os.fstat(number)  # an open file
            silences.append(silence)

        monkeypatch.setattr(verb, "Live", live)
        monkeypatch.setattr(verb, "read_on", lambda _: (next(runs), why))  # nobody waits for it to grow
        return silences

    return because


@pytest.mark.parametrize(
    ("why", "code", "said"),
    [
        ("end", 0, ""),
        ("silence", 0, "nothing more was printed in the time of --silence: judged what is there\n"),
        ("failure", 0, "read no further than the line that says it failed\n"),
        ("interrupt", 130, "interrupted: judged what is there\n"),
    ],
)
def test_a_log_that_is_followed(
    file: str, tmp_path: Path, ended: Callable[[str], list[float]], why: str, code: int, said: str
):
    """Is judged as far as it was read; why it was read no further is told. Without a log there is nothing to judge."""
    silences = ended(why)
    found, out, err = command("verdict", file, *MACHINE, "--follow")
    assert (found, err, out.endswith(f"{PROVED}\n")) == (code, said, True)
    command("verdict", file, *MACHINE, "--follow", "--silence", "2m")
    assert silences == [600.0, 120.0]

    (tmp_path / "empty.log").touch()
    nothing = f"nothing from nccl-tests in {tmp_path}/empty.log; pass a log of a run\n"
    expected = (130, "", said) if why == "interrupt" else (2, "", f"{said}{nothing}")
    assert command("verdict", str(tmp_path / "empty.log"), *MACHINE, "--follow") == expected


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of four logs: good, too slow, of another fabric, and without a test."""
    lines = [line.replace("/GDRDMA", "") if "[3] " in line else line for line in render.log()]
    for name, text in (
        ("a-slow", log(busbw=[100.0] * 4)), ("b-good", log()), ("c-gdr", render.joined(lines)), ("d-none", b"hello\n"),
    ):  # fmt: skip
        (tmp_path / f"{name}.log").write_bytes(text)
    return tmp_path


def test_a_table_of_tests(folder: Path):
    """Pass or fail, its figure at the largest size, and the gate that failed first; exit code 1 where any fails."""
    code, out, err = command("verdict", str(folder), *MACHINE)
    rows = [line.split() for line in out.splitlines()]

    assert (code, err, rows[0], rows[1]) == (1, "", ["tests"], ["log", "collective", "GB/s", "first", "failed", "gate"])
    assert [row[:4] for row in rows[3:7]] == [
        ["FAIL", "a-slow.log", "all_gather", "100.00"], ["pass", "b-good.log", "all_gather", "325.72"],
        ["FAIL", "c-gdr.log", "all_gather", "325.72"], ["FAIL", "d-none.log", "all_gather", "-"],
    ]  # fmt: skip
    assert [row[4:5] for row in rows[3:6]] == [["bandwidth:"], [], ["gdr:"]]
    assert rows[6][4:] == ["nothing", "from", "nccl-tests"]
    assert out.splitlines()[-2:] == ["", "3 of 4 tests failed."]


def test_a_log_beside_a_folder(folder: Path):
    """Is a row, too."""
    (folder / "more").mkdir()
    (folder / "b-good.log").rename(folder / "more" / "b.log")
    code, out, _ = command("verdict", str(folder / "a-slow.log"), str(folder / "more"), *MACHINE)

    assert (code, out.splitlines()[-1]) == (1, "1 of 2 tests failed.")


def test_tests_as_data(folder: Path):
    """The verdict of each under the name of its log, as of one log alone."""
    code, out, _ = command("verdict", str(folder), *MACHINE, "--json")
    found = json.loads(out)

    assert (code, [each.pop("log") for each in found]) == (1, ["a-slow.log", "b-good.log", "c-gdr.log", "d-none.log"])
    alone = json.loads(command("verdict", str(folder / "b-good.log"), *MACHINE, "--json")[1])
    assert {key: found[1][key] for key in ("passed",) if key in alone} == {
        key: alone[key] for key in ("passed",) if key in alone
    }
    assert found[1].keys() == alone.keys()


def test_all_tests_pass(folder: Path):
    """One line says so; a folder without logs is refused."""
    for name in ("a-slow", "c-gdr", "d-none"):
        (folder / f"{name}.log").unlink()
    code, out, _ = command("verdict", str(folder), *MACHINE)
    assert (code, out.splitlines()[-1]) == (0, "All 1 tests passed.")
    (folder / "b-good.log").rename(folder / "b-good.bin")
    code, out, err = command("verdict", str(folder), *MACHINE)
    assert (code, out) == (2, "") and err.startswith(f"no log in {folder}; their names end in .")
