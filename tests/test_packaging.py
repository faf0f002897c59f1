"""What is handed out: a source archive that builds and tests itself, and a wheel that holds all it needs."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest
from rdma_cluster import __version__
from rdma_cluster.common import CLOUDS

from tests.stacks import ROOT

# In one process, which makes what they share once.
pytestmark = [pytest.mark.xdist_group("packaging"), pytest.mark.thorough]


def run(*words: str, folder: Path, **environment: str) -> str:
    """Stdout of a command that succeeds."""
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    done = subprocess.run([sys.executable, *words], cwd=folder, env=env, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, made and unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    # Of a copy: a build leaves its traces beside the source.
    copy = folder / "copy"
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    for name in filter(lambda name: (ROOT / name).is_file(), tracked.stdout.splitlines()):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes((ROOT / name).read_bytes())
    git = ["git", "-C", str(copy), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "copy"]):
        subprocess.run([*git, *words], check=True)
    run("-m", "build", "--sdist", "--no-isolation", "--outdir", str(folder), str(copy), folder=folder)
    with tarfile.open(folder / f"rdma_cluster-{__version__}.tar.gz") as archive:
        # By its attribute: the argument came with Python 3.11.4.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)
    return folder / f"rdma_cluster-{__version__}"


@pytest.fixture(scope="module")
def installed(unpacked: Path) -> Path:
    """The wheel that the unpacked source builds, in a folder that `import` can find."""
    run("-m", "build", "--wheel", "--no-isolation", "--outdir", "dist", folder=unpacked)
    (wheel,) = (unpacked / "dist").glob("*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(unpacked / "site")
    return unpacked / "site"


def test_source_archive_tests_itself(unpacked: Path):
    """Its tests are in it, with what they read; some of them are run."""
    assert (unpacked / "LICENSE").read_text().lstrip().startswith("Apache License")
    here = {path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*") if "__pycache__" not in path.parts}
    assert here == {path.relative_to(unpacked) for path in (unpacked / "tests").rglob("*")}

    run("-m", "pytest", "-q", "tests/test_versions.py", "tests/test_addresses.py", folder=unpacked)


def test_wheel_holds_every_file_of_the_package(installed: Path):
    """Scripts of pods and the type marker among them."""
    package = ROOT / "components" / "rdma_cluster"
    source = {path.relative_to(package) for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"}

    assert source | {Path("commit.txt")} == {
        path.relative_to(installed / "rdma_cluster")
        for path in (installed / "rdma_cluster").rglob("*.*")
        if path.suffix != ".pyc"
    }
    (metadata,) = installed.glob("*.dist-info/METADATA")
    assert "License-Expression: Apache-2.0" in metadata.read_text()


def test_release_tells_its_commit(unpacked: Path, installed: Path):
    """The commit of the clone is in the archive, goes on into the wheel, and is what ``--version`` prints."""
    commit = (unpacked / "components" / "rdma_cluster" / "commit.txt").read_text().strip()
    code = "from rdma_cluster.cli import app; app.run(['--version'])"
    told = run("-c", code, folder=installed, PYTHONPATH=str(installed))

    assert len(commit) == 12
    assert told == f"rdma-cluster {__version__} ({commit})\n"


def test_wheel_starts_a_project(installed: Path, tmp_path: Path):
    """`init` and `plan` for every cloud and `preview` for one, from the wheel alone, far from any clone."""
    code = f"""
import os
from rdma_cluster.cli import app
assert {str(installed)!r} in app.__file__
for cloud in {tuple(CLOUDS)!r}:
    os.mkdir(cloud)
    os.chdir(cloud)
    assert app.run(["init", cloud]) == app.run(["plan", cloud]) == 0
    os.chdir("..")
os.chdir("gke")
assert app.run(["preview", "gke"]) == 0
"""
    told = run("-c", code, folder=tmp_path, PYTHONPATH=str(installed))

    assert {f"stack {cloud}" for cloud in CLOUDS} <= {line.strip() for line in told.splitlines()}
    assert "every input checked" in told
