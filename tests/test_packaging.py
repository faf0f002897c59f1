"""The source archive builds and tests itself, and the wheel holds all that it needs."""

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from sysconfig import get_path
from zipfile import ZipFile

import pytest
from rdma_cluster import __version__
from rdma_cluster.common import CLOUDS
from tests.stacks import ROOT

# In one process, which makes what they share once.
pytestmark = [pytest.mark.xdist_group("packaging"), pytest.mark.thorough]


PACKAGES = ("nccl_verdict", "pulumi_offline", "rdma_agent", "rdma_cluster")
MADE = {"rdma_agent/payload.json", "rdma_cluster/base/key_docs.json", "rdma_cluster/commit.txt"}
"""What the build adds to the packages."""
UNTRACKED = (
    *(
        ".env",
        "secrets.yaml",
        "components/rdma_cluster/.env",
        "components/rdma_cluster/stray.py",
        "components/stray.py",
    ),
    *("components/rdma_agent/odd [1] #name.yaml", "components/scratch/notes.py", "rehearsal/rdma_rehearsal/stray.py"),
)


def run(*words: str, folder: Path, **environment: str) -> str:
    """Stdout of a Python process that succeeds."""
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    done = subprocess.run([sys.executable, *words], cwd=folder, env=env, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the clone with files that git does not track; a build leaves its traces in it."""
    copy = tmp_path_factory.mktemp("clone")
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    for name in filter(lambda name: (ROOT / name).is_file(), tracked.stdout.splitlines()):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes((ROOT / name).read_bytes())
    git = ["git", "-C", str(copy), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "copy"]):
        subprocess.run([*git, *words], check=True)
    for name in UNTRACKED:
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text("PASSWORD = 1\n")
    return copy


@pytest.fixture(scope="module")
def unpacked(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, made and unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    run("-m", "build", "--sdist", "--no-isolation", "--outdir", str(folder), str(clone), folder=folder)
    with tarfile.open(folder / f"rdma_cluster-{__version__}.tar.gz") as archive:
        # By its attribute: the argument came with Python 3.11.4.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)
    return folder / f"rdma_cluster-{__version__}"


@pytest.fixture(scope="module")
def installed(unpacked: Path) -> Path:
    """The wheel that the unpacked source builds, in a folder that `import` can find."""
    return wheel_of(unpacked, unpacked / "site")


BUILD_ALONE = f"""
import sys
sys.path.append({get_path("purelib")!r})
from hatchling.build import build_wheel
build_wheel("dist")
"""
"""`python -IS` reads no editable install and no PYTHONPATH: our packages cannot be imported, as where pip builds."""


def wheel_of(project: Path, into: Path) -> Path:
    """The folder ``into`` with the contents of a project's wheel, built where nothing of ours is installed."""
    (project / "dist").mkdir(exist_ok=True)
    run("-IS", "-c", BUILD_ALONE, folder=project)
    (wheel,) = (project / "dist").glob("*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(into)
    return into


def files_below(folder: Path) -> set[str]:
    """The paths of the files below a folder, without what Python compiled."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(folder).as_posix() for path in files}


def test_the_source_archive_holds_all_tests_and_passes_some(unpacked: Path):
    assert (unpacked / "LICENSE").read_text().lstrip().startswith("Apache License")
    here = {path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*") if "__pycache__" not in path.parts}
    assert here == {path.relative_to(unpacked) for path in (unpacked / "tests").rglob("*")}

    run("-m", "pytest", "-q", "tests/test_versions.py", "tests/test_addresses.py", folder=unpacked)


def tracked(*folders: str) -> set[str]:
    """The files in these folders that git tracks, or that a developer is about to add."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *folders], cwd=ROOT, stdout=-1)
    return {name for name in listed.stdout.decode().splitlines() if (ROOT / name).is_file()}


def test_archives_hold_what_git_tracks_and_nothing_that_lies_beside_it(
    clone: Path, unpacked: Path, installed: Path, tmp_path: Path
):
    ours = {name.removeprefix("components/") for name in tracked(*(f"components/{each}" for each in PACKAGES))} | MADE
    rehearsal = {name.removeprefix("rehearsal/") for name in tracked("rehearsal/rdma_rehearsal")}

    with tarfile.open(unpacked.with_name(f"{unpacked.name}.tar.gz")) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert held == tracked(".") | {"PKG-INFO", "components/rdma_cluster/commit.txt"}
    for site in (installed, wheel_of(clone, tmp_path / "site")):
        assert {name for name in files_below(site) if ".dist-info/" not in name} == ours
    run("-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(clone / "rehearsal"), folder=tmp_path)
    with ZipFile(next(tmp_path.glob("rdma_cluster_rehearsal-*.whl"))) as archive:
        assert {name for name in archive.namelist() if ".dist-info/" not in name} == rehearsal


def test_an_index_shows_links_that_lead_somewhere(unpacked: Path, installed: Path):
    """Of the wheel that the source archive builds: the archive hands on what it was told of the project's address."""
    (metadata,) = installed.glob("*.dist-info/METADATA")
    shown = metadata.read_text("utf-8")
    links = re.findall(r'\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"', shown)

    assert shown.partition("\n\n")[0] == (unpacked / "PKG-INFO").read_text("utf-8").partition("\n\n")[0]
    assert {name for name, _ in re.findall(r"^Project-URL: (\w+), (https://\S+)$", shown, re.MULTILINE)} >= {
        "Source",
        "Issues",
    }
    assert links and not [link for link in map("".join, links) if not link.startswith(("https://", "#"))]


def test_a_release_prints_the_commit_of_its_clone(unpacked: Path, installed: Path):
    commit = (unpacked / "components" / "rdma_cluster" / "commit.txt").read_text().strip()
    code = "from rdma_cluster.cli import app; app.run(['--version'])"
    told = run("-c", code, folder=installed, PYTHONPATH=str(installed))

    assert len(commit) == 12
    assert told == f"rdma-cluster {__version__} ({commit})\n"


def test_the_wheel_starts_a_project_far_from_any_clone(installed: Path, tmp_path: Path):
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
