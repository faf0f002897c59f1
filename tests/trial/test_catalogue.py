"""`machines --from-trial` and `--from-log`: what metal has shown becomes rows that keep to the catalogue's rules."""

import json
import subprocess
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.catalog import Machine, NicKind, machines
from rdma_cluster.catalog.machine import Known, Source
from rdma_cluster.cli.from_snapshot import settled
from rdma_cluster.conform.reader import read_answers
from rdma_cluster.conform.row import row_of
from rdma_cluster.trial.patch import sources, with_row
from tests.catalog.checks import errors
from tests.cli.commands import command
from tests.conform.published import CASES, seen
from tests.conform.synthetic import one_node
from tests.stacks import ROOT
from tests.trial.living import events, gather, log, report, serve, world

SOURCE = Source("a trial on metal", "2026-11-28", Known.MEASURED)
MACHINES = {each.name: each for each in machines() if each.gpu and each.nic_kind is not NicKind.NETDEV}
_NOT_WHOLE = {"partial", "differs", "names", "pairs"}
PUBLISHED = [(name, row_of(seen(listing, MACHINES[name]), SOURCE)) for listing, name in CASES
    if name in MACHINES and not listing.keys() & _NOT_WHOLE]  # fmt: skip
MADE = [(name, row_of(read_answers(one_node(each), "pool", ["a"], "0.1.0").snapshot["nodes"][0], SOURCE))
    for name, each in MACHINES.items()]  # fmt: skip
# A node whose interfaces or rates nobody published shows as one of another kind, or counts NICs of the front end.
SEEN = {name: row for name, row in (*MADE, *PUBLISHED)
    if row and (row.nic_kind, row.nics) == (MACHINES[name].nic_kind, MACHINES[name].nics)}  # fmt: skip


def loaded(path: str, text: str, known: Machine) -> Machine:
    """The row of that name in a changed file of the catalogue."""
    package = ".".join(Path(path).with_suffix("").parts[1:-1])
    namespace: dict[str, Any] = {"__name__": f"{package}.changed", "__package__": package}
    exec(compile(text, path, "exec"), namespace)
    rows = (row for each in namespace.values() if isinstance(each, tuple) for row in each if isinstance(row, Machine))
    row = next(each for each in rows if each.name == known.name)
    return type(known)(**{each.name: getattr(row, each.name) for each in fields(known)})


@pytest.mark.parametrize("name", SEEN)
def test_a_patched_row_keeps_to_the_rules_of_the_catalogue(name: str):
    """What was published or inferred is measured then, and nothing else of the row changes. Of a row that a table
    makes there is no patch."""
    known, texts = MACHINES[name], sources()
    measured = settled(known, SEEN[name])
    changed = {path: new for path, old in texts.items() if (new := with_row(old, known, measured, (), SOURCE)) != old}

    assert len(changed) == any(f'name="{name}"' in text for text in texts.values())
    for path, new in changed.items():
        patched = loaded(path, new, known)
        # The addresses that nobody published are made up for this test.
        assert [each for each in errors(patched) if "another PCI domain" not in each] == []
        assert {each.partition(".")[0] for each, of in patched.evidence.items() if of == SOURCE} == set(measured)
        assert (patched.thresholds, patched.capacity, patched.gpus) == (known.thresholds, known.capacity, known.gpus)


def test_a_trial_becomes_a_patch_that_git_applies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Its floor is beside the published one, its node pool's time replaces the published log's."""
    serve(monkeypatch, world())
    gather(tmp_path, report(), events())
    code, out, _ = command("machines", "--from-trial", str(tmp_path / "t.tar.gz"), "--json")
    told = json.loads(out)

    assert (code, told["refused"], told["byHand"]) == (0, [], [])
    asked = ["git", "-C", str(ROOT), "apply", "--check", "-"]
    applied = subprocess.run(asked, input=told["patch"], text=True, capture_output=True)
    assert applied.returncode == 0, applied.stderr
    added = [line[1:].strip() for line in told["patch"].splitlines() if line.startswith("+ ")]
    assert any("Threshold('reduce_scatter', 2, 8, 1073741824, 264.0, 330.0," in line for line in added)
    assert any(line.startswith('"gcp:container/nodePool:NodePool": Latency(131, 240, Source(') for line in added)


def test_a_trial_that_contradicts_a_row_is_the_answer_no(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A log without GPUDirect gives no floor, and says why."""
    given = world(text=log().replace("/GDRDMA", ""))
    for name, look in given["answers"].looks.items():
        seen = json.loads(look)
        seen["gpus"][0]["pci"] = "0000:aa:00.0"
        given["answers"].looks[name] = json.dumps(seen)
    serve(monkeypatch, given)
    gather(tmp_path, report(), events())
    code, out, _ = command("machines", "--from-trial", str(tmp_path / "t.tar.gz"))

    assert code == 1 and "differs: GPU 0" in out and "no threshold of a4-highgpu-8g: not a healthy run: gdr" in out


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b\x08", b"PK\x03\x04"])
def test_a_file_that_is_no_archive_is_refused(data: bytes, tmp_path: Path):
    (tmp_path / "t").write_bytes(data)
    code, out, err = command("machines", "--from-trial", str(tmp_path / "t"))

    assert (code, out, err.count("\n")) == (2, "", 1) and "is no archive of the form" in err


def from_log(folder: Path, text: str, *words: str) -> tuple[int, str, str]:
    (folder / "log").write_text(text)
    return command("machines", "--from-log", str(folder / "log"), *words)


def test_a_healthy_log_becomes_what_a_stack_file_takes(tmp_path: Path):
    """The stack then plans with it, and names it as its own threshold."""
    code, out, err = from_log(tmp_path, log(), "--machine", "a4-highgpu-8g", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    (word,) = [line.strip().partition(": ")[2] for line in told["config"].splitlines() if "a4-highgpu-8g" in line]
    plan = command("plan", "gke", "--json", "--set", f'acceptance.thresholds["a4-highgpu-8g"]={word}')

    assert told["machine"] == "a4-highgpu-8g" and word == "['reduce_scatter:1G=264']"
    assert "264" in json.loads(plan[1])["acceptance"][0]["threshold"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (log(busbw=(230.0, 240.0, 245.0, 248.0)), "half of its rails could pass"),
        (log(busbw=(230.0, 240.0, 255.0, 258.0)), ""),  # 2 GiB and more tell
        (log().replace("/GDRDMA", ""), "gdr"),
        (log().replace("Using network gIB", "Using network Socket"), "socket"),
        (log().replace("NVIDIA B200", "NVIDIA H200"), "gpus"),
        (log().replace("      0  ", "      7  "), "data"),
        ("nothing", "two nodes or more"),
    ],
    ids=["half", "larger sizes", "no gdr", "socket", "other gpus", "wrong data", "no log"],
)
def test_a_log_that_proves_nothing_gives_no_threshold(text: str, words: str, tmp_path: Path):
    code, out, err = from_log(tmp_path, text, "--machine", "a4-highgpu-8g")

    assert (code, out == "", words in err) == ((2, True, True) if words else (0, False, True))
