"""State is an interface, asked of the engine: what a release has made is what the present tree goes on with."""

import json
import subprocess
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from pulumi_offline.graph import type_and_name
from pulumi_offline.project import read_settings
from rdma_rehearsal.engine import Engine
from tests.rehearsal.stages import FIRST, living, settings_of, up, with_program
from tests.released.record import CHANGELOG, VERSIONS, path_of, said, unsaid
from tests.stacks import ROOT

OLD, NOW = "rdma-cluster:index:EksFabric", "rdma-cluster:index:EksHpcNetwork"
PROGRAM = f"""
import runpy
from pathlib import Path

import pulumi


def init(self, type_, name, props=None, opts=None, *others):
    if type_ == "{NOW}":
        type_, opts = %s
    made(self, type_, name, props, opts, *others)


made = pulumi.ComponentResource.__init__
pulumi.ComponentResource.__init__ = init
runpy.run_path(str(Path(__file__).resolve().parent / "ours.py"), run_name="__main__")
"""
"""Ours, with another type or other options for one component."""
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
"""A provider makes one anew, under its name, for each change of its data (catalog/immutable); what mounts it stays."""


@pytest.mark.parametrize("stack", FIRST)
@pytest.mark.parametrize("version", VERSIONS)
def test_an_upgrade_of_the_library_keeps_what_there_is(
    version: str, stack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """`up` by the release's own tree, then a preview by this one, with the same stack file; and one after a refresh."""
    root = tmp_path / "root"
    root.symlink_to(tree_of(version, stack, tmp_path / "old"))
    monkeypatch.setenv("PYTHONPATH", str(root / "components"))
    with living(root, read_settings(root, stack), tmp_path) as (engine, _):
        ran = up(engine)
        assert ran.code == 0, ran.text

        root.unlink()
        root.symlink_to(ROOT)

        assert unsaid(lost(engine), said(version)) == []
        assert engine.run("refresh", "--yes", "--skip-preview").code == 0
        assert unsaid(lost(engine), said(version)) == []


def test_a_renamed_component_is_found(tmp_path: Path):
    """Without an alias the engine would make all that is below it anew; with one it finds it where it was."""
    root = with_program(PROGRAM % f"'{OLD}', opts", tmp_path / "root")
    alias = f"type_, pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(aliases=[pulumi.Alias(type_='{OLD}')]))"
    with living(root, settings_of("eks"), tmp_path) as (engine, _):
        assert up(engine).code == 0

        (root / "__main__.py").write_text(PROGRAM % "type_, opts")
        assert "aws:ec2/vpc:Vpc eks: delete" in list(lost(engine))

        (root / "__main__.py").write_text(PROGRAM % alias)
        assert list(lost(engine)) == []


def tree_of(version: str, stack: str, folder: Path) -> Path:
    """The sources of a release, in ``folder``; of one that is not out yet, those of which its record was written."""
    git = ["git", "-C", str(ROOT)]
    for words in (("-S", f"\n## {version} - ", "--", CHANGELOG), ("--", path_of(version, stack))):
        log = subprocess.run([*git, "log", "-1", "--format=%H", *words], capture_output=True)
        if commit := log.stdout.decode().strip():
            break
    else:
        pytest.skip(f"no history here that has {version} or its record: needs a clone")
    packed = subprocess.run([*git, "archive", commit], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)
    return folder


def lost(engine: Engine) -> Iterator[str]:
    """What a preview deletes or makes anew, with the engine's word for it.

    A component is nothing by itself, and a ConfigMap nothing but what is in it.
    """
    ran = engine.run("preview", "--json")
    assert ran.code == 0, ran.text
    for step in json.JSONDecoder().raw_decode(ran.text[ran.text.index("{") :])[0]["steps"]:
        token, name = type_and_name(step["urn"])
        if step["op"] in ("same", "create", "update", "read") or token.startswith("rdma-cluster:"):
            continue
        if token != CONFIG_MAP or step["op"] == "delete":
            yield f"{token} {name}: {step['op']}"
