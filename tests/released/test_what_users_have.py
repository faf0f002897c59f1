"""What a release gave to users runs unchanged: projects of `init`, imports that documents print, other languages.

Each folder of a release has what it had: ``init/CLOUD`` the files of its `init`, ``imports.txt`` the lines of its
README, documents and examples, ``schema.txt`` what other languages see of its components.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.common import CLOUDS
from tests.cli.commands import command
from tests.released.record import HERE
from tests.stacks import graph_of

PROJECTS = sorted(HERE.glob("*/init/*"))


@pytest.mark.parametrize(
    "project",
    [pytest.param(each, marks=[] if each.name == "gke" else pytest.mark.variant, id=each.name) for each in PROJECTS],
)
def test_a_project_of_a_release_is_previewed(project: Path, tmp_path: Path):
    """Its program runs as it is, and makes what the cloud's stack of this clone makes."""
    shutil.copytree(project, tmp_path, dirs_exist_ok=True)
    code, out, err = command("preview", project.name, "--json", folder=tmp_path)
    graph = json.loads(out)

    assert (code, err) == (0, "")
    wanted = sorted(each.type for each in graph_of(project.name).resources)
    assert sorted(each["type"] for each in graph["resources"]) == wanted
    assert {"proofs", "workloads", "report"} <= graph["outputs"].keys()


@pytest.mark.parametrize("file", sorted(HERE.glob("*/imports.txt")), ids=lambda file: file.parent.name)
def test_what_documents_import_is_there(file: Path):
    """In a process of its own, as a program does it, where a warning of ours is an error."""
    lines = file.read_text()
    done = subprocess.run([sys.executable, "-W", "error:::rdma_cluster", "-c", lines], capture_output=True, text=True)

    assert lines.count("import ") > 10
    assert (done.returncode, done.stderr) == (0, "")


def test_the_judge_of_0_1_0_runs_where_its_files_are_mounted(tmp_path: Path):
    """As docs/verdict.md has it: a folder ``nccl``, and Python alone."""
    from rdma_cluster.nccl.bundle import files

    (tmp_path / "nccl").mkdir()
    for name, text in files().items():
        (tmp_path / "nccl" / name).write_text(text)
    words = [sys.executable, "-m", "nccl", "--help"]
    done = subprocess.run(words, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "") and "--termination" in done.stdout


def seen(schema: dict[str, Any]) -> Iterator[str]:
    """What a program in another language can write or read of a schema, one a line; ``!`` is behind a required key."""
    for token, kind in {**schema["resources"], **schema["types"]}.items():
        name = token.rpartition(":")[2]
        for side, of, required in (
            ("input", kind.get("inputProperties"), kind.get("requiredInputs")),
            ("output" if "inputProperties" in kind else "key", kind.get("properties"), kind.get("required")),
        ):
            for key, value in (of or {}).items():
                must = "!" if side != "output" and key in (required or ()) else ""
                yield f"{name} {side} {key}: {_type(value)}{must}"
        for choice in kind.get("enum", ()):
            yield f"{name} choice {choice['name']}: {choice['value']}"


def _type(value: dict[str, Any]) -> str:
    if "$ref" in value:
        return value["$ref"].rpartition(":")[2]
    if "additionalProperties" in value:
        return f"{{{_type(value['additionalProperties'])}}}"
    return f"[{_type(value['items'])}]" if "items" in value else value["type"]


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("file", sorted(HERE.glob("*/schema.txt")), ids=lambda file: file.parent.name)
def test_programs_in_other_languages_find_what_they_had(file: Path):
    """Nothing is gone or has another type, and no key that there was is required now."""
    from rdma_cluster.hosting import components_of
    from rdma_cluster.hosting.schema import schema_of

    had, has = set(file.read_text().splitlines()), set(seen(schema_of(components_of(*CLOUDS, "incluster"))))
    kinds = {line.partition(" ")[0] for line in had}
    known = has | {line.removesuffix("!") for line in has}

    assert len(had) > 1000
    assert sorted(line for line in had if line.removesuffix("!") not in known) == []
    assert sorted(line for line in has - had if line.endswith("!") and line.partition(" ")[0] in kinds) == []
