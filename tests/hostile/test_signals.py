"""Signals at any moment, and full disks, leave a file old or new, and nothing beside it."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.cli.signals import ENDING
from rdma_cluster.cli.write_file import write_file
from tests.cli.commands import command
from tests.stacks import ROOT

START = (
    "import os, signal, sys; "
    "[signal.signal(getattr(signal, name), signal.SIG_DFL) for name in ('SIGINT', 'SIGTERM', 'SIGHUP')]; "
    "from rdma_cluster.cli import main; os.write({ready}, b'.'); main()"
)
"""The command, which says when it begins: what Python does before is Python's own. The tests may run under `nohup` or
in the background of a shell, which ignore a signal for all below them."""
OLD = "what was there before\n"


def started(words: Sequence[str], folder: Path, **environment: str) -> subprocess.Popen:
    """The command in a process of its own, from the moment at which it begins."""
    here, ready = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", START.format(ready=ready), *words],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=[ready],
    )
    os.close(ready)
    os.read(here, 1)
    os.close(here)
    return process


def ended(process: subprocess.Popen) -> tuple[int, str]:
    """The exit code of a process and its words on stderr."""
    _, err = process.communicate(timeout=120)
    return process.returncode, err


_RANDOM = random.Random(7)
MOMENTS = [_RANDOM.uniform(0.002, 1.2) for _ in range(4)]
VERBS = ("plan", "init", "artifacts", "inject")


def moments() -> Iterator[Any]:
    """Every verb, moment and signal; `make test` has each of them once with some of the others."""
    for i, verb in enumerate(VERBS):
        for j, moment in enumerate(MOMENTS):
            for k, number in enumerate(ENDING):
                marks = [] if i == j and k == i % len(ENDING) else [pytest.mark.thorough]
                name = f"{verb} {moment:.3f} {signal.Signals(number).name}"
                yield pytest.param(verb, number, moment, id=name, marks=marks)


@pytest.mark.parametrize(("verb", "number", "moment"), list(moments()))
def test_a_signal_at_any_moment_leaves_no_half_of_a_file(verb: str, number: int, moment: float, tmp_path: Path):
    """The command ends by the signal and says nothing."""
    folder, page = tmp_path / "tmp", tmp_path / "page.html"
    folder.mkdir()
    page.write_text(OLD)
    pod = tmp_path / "pod.yaml"
    pod.write_text("spec: {containers: [{name: a}]}\n")
    words = {
        "plan": ["plan", "gke", "--html", str(page)],
        "init": ["init", "gke", "--folder", str(tmp_path / "project")],
        "artifacts": ["artifacts", "gke"],
        "inject": ["inject", str(pod), "--machine", "a4-highgpu-8g"],
    }[verb]
    process = started(words, folder)
    time.sleep(moment)
    process.send_signal(number)
    code, err = ended(process)

    assert code in (-number, 0)
    assert err in ("", f"wrote {page}\n") or err.startswith("nothing changes")
    text = page.read_text()
    assert text == OLD or (text.startswith("<!doctype html>") and text.endswith("</body></html>\n"))
    assert sorted(os.listdir(folder)) == []
    assert sorted(os.listdir(tmp_path)) in (
        ["page.html", "pod.yaml", "tmp"],
        ["page.html", "pod.yaml", "project", "tmp"],
    )
    if verb == "init":
        assert command(*words)[0] == 0  # what is there is whole, and what is not is added
        assert {each for each in os.listdir(tmp_path / "project") if each.startswith(".")} == {".gitignore"}


ENGINE = """\
#!{python}
import os, sys, time
from pathlib import Path
words = sys.argv[1:]
if words[:2] == ["stack", "init"]:
    name = words[2]
    (Path("stacks") / f"Pulumi.{{name}}.yaml").write_text("encryptionsalt: x\\n")
    sys.exit()
if os.fork() == 0:
    os.setpgid(0, 0)  # as the engine does with its plugins
    Path({marks!r}, str(os.getpid())).touch()
    time.sleep(600)
Path({marks!r}, str(os.getpid())).touch()
time.sleep(600)
"""


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """A `pulumi` that starts a plugin, hangs, and notes the ids of both in a folder."""
    marks = tmp_path / "marks"
    marks.mkdir()
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "pulumi"
    program.write_text(ENGINE.format(python=sys.executable, marks=str(marks)))
    program.chmod(0o755)
    return marks


@pytest.mark.thorough
@pytest.mark.parametrize("number", ENDING, ids=lambda number: signal.Signals(number).name)
@pytest.mark.skipif(sys.platform != "linux", reason="no signal when a parent ends: run on Linux")
def test_a_signal_ends_a_rehearsal_with_its_folders_engine_and_plugins(number: int, engine: Path, tmp_path: Path):
    folder = tmp_path / "tmp"
    folder.mkdir()
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    process = started(["rehearse", "gke", "--part", "up"], folder, PATH=path)
    while len(os.listdir(engine)) < 2:
        assert process.poll() is None, ended(process)
        time.sleep(0.02)
    assert os.listdir(folder)
    process.send_signal(number)

    assert ended(process) == (-number, "")
    assert [each for each in map(int, os.listdir(engine)) if lives(each)] == []
    assert until(lambda: not os.listdir(folder))


def lives(pid: int) -> bool:
    """Whether a process does, and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def until(holds) -> bool:
    """Whether something comes true within some seconds."""
    for _ in range(500):
        if holds():
            return True
        time.sleep(0.02)
    return False


def test_a_signal_that_is_ignored_under_nohup_stays_so(tmp_path: Path):
    line = f'trap "" HUP; exec "{sys.executable}" -c "from rdma_cluster.cli import main; main()" plan gke'
    process = subprocess.Popen(["bash", "-c", line], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    for _ in range(10):
        time.sleep(0.05)
        process.send_signal(signal.SIGHUP)
    out, _ = process.communicate(timeout=60)

    assert process.returncode == 0 and out.startswith("stack gke")


@contextmanager
def small_disk() -> Generator[None]:
    """Files of this process end after 1,000 bytes, as on a full disk. No fixture: pytest may write to a longer one."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_leaves_the_old_text_and_nothing_beside_it(tmp_path: Path):
    """The error names the file."""
    file = tmp_path / "page.html"
    file.write_text(OLD)
    with small_disk(), pytest.raises(OSError) as error:
        write_file(file, "x" * 5000)

    assert (error.value.filename, file.read_text(), os.listdir(tmp_path)) == (str(file), OLD, ["page.html"])


@pytest.mark.thorough
@pytest.mark.parametrize(
    "words",
    [
        ("plan", "gke", "--html", "{folder}/page.html"),
        ("init", "gke", "--folder", "{folder}"),
        ("verdict", "{log}", "--machine", "a4-highgpu-8g", "--nodes", "2", "--plot", "{folder}/plot.svg"),
    ],
    ids=lambda words: words[0],
)
def test_a_full_disk_ends_a_verb_in_one_line(words: tuple[str, ...], tmp_path: Path):
    """What `init` wrote before is whole, and the next one goes on from there."""
    log, folder = tmp_path / "log", tmp_path / "folder"
    log.write_text("#  Rank  0 Group  0 Pid 1 on node device  0 [0x00] NVIDIA B200\n")
    folder.mkdir()
    words = tuple(each.format(folder=folder, log=log) for each in words)
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); from rdma_cluster.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-B", "-c", code, *words], cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and str(folder) in done.stderr and "too large" in done.stderr
    assert not [each for each in folder.iterdir() if each.name.startswith(".")]
    assert command(*words)[0] in (0, 1)


def test_a_written_file_keeps_its_link_and_its_mode(tmp_path: Path):
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text(OLD)
    file.chmod(0o640)
    link.symlink_to(file)
    write_file(link, "new")

    assert link.is_symlink() and (file.read_text(), file.stat().st_mode & 0o777) == ("new", 0o640)


def test_a_signal_waits_until_the_file_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    heard = []
    handler = signal.signal(signal.SIGTERM, lambda number, _: heard.append((number, (tmp_path / "file").exists())))
    original = Path.write_bytes

    def write_bytes(self: Path, *args, **how) -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        return original(self, *args, **how)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    write_file(tmp_path / "file", "new")
    signal.signal(signal.SIGTERM, handler)

    assert heard == [(signal.SIGTERM, True)]
