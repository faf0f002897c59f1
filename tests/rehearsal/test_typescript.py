"""The program in TypeScript on the real engine: its SDK made by the engine, its components by our plugin."""

import sys
from pathlib import Path

import pytest
import yaml
from pulumi_offline.project import read_settings
from rdma_cluster.hosting import components_of
from rdma_cluster.hosting.schema import schema_of
from rdma_rehearsal.clock import Clock
from rdma_rehearsal.engine import Engine
from rdma_rehearsal.faults import FaultPlan
from rdma_rehearsal.inventory import Inventory
from rdma_rehearsal.scenario import NO_CHANGE
from rdma_rehearsal.serve import serving
from rdma_rehearsal.timeline import Log
from tests.hosting.typescript import build_sdk, compile_all, make_sdk, missing
from tests.stacks import ROOT

EXAMPLE = ROOT / "examples" / "typescript"


@pytest.mark.skipif(bool(missing()), reason=missing())
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_program_in_typescript_lives_and_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`up`; a second preview and a refresh change nothing; `destroy` leaves nothing of it."""
    plugin = tmp_path / "bin" / "pulumi-resource-rdma-cluster"  # where the engine looks first
    plugin.parent.mkdir()
    plugin.write_text(f'#!/bin/sh\nexec {sys.executable} {ROOT / "packages" / "gke"} "$@"\n')
    plugin.chmod(0o755)
    monkeypatch.setenv("PATH", str(plugin.parent), prepend=":")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "components"))
    program = tmp_path / "program"
    program.mkdir()
    make_sdk(schema_of(components_of("gke", "incluster")), program)
    build_sdk(program)
    assert compile_all({"index": (EXAMPLE / "index.ts").read_text()}, program) == {"index": ""}
    described = yaml.safe_load((EXAMPLE / "Pulumi.yaml").read_text())
    for file in (program / "Pulumi.yaml", program / "package.json"):
        file.write_text((EXAMPLE / file.name).read_text())
    clock = Clock(1000)
    clock.instant = True
    inventory = Inventory(tmp_path / "world")
    with serving(inventory, clock, FaultPlan(), Log(clock)) as ports:
        engine = Engine(tmp_path / "run", program, read_settings(EXAMPLE, "dev"), ports)
        compiled = {"runtime": {"name": "nodejs", "options": {"typescript": False}}, "main": "index.js"}
        (tmp_path / "run" / "project" / "Pulumi.yaml").write_text(yaml.safe_dump({**described, **compiled}))
        for words in (
            ("up", "--yes", "--skip-preview", "--parallel", "64"),
            NO_CHANGE,
            ("refresh", "--yes", "--skip-preview", "--expect-no-changes"),
            ("state", "unprotect", "--all", "--yes"),
        ):
            ran = engine.run(*words)
            if ran.code:
                pytest.fail(ran.text, pytrace=False)
        assert len(inventory) > 50
        ran = engine.run("destroy", "--yes", "--skip-preview")
        assert ran.code == 0, ran.errors

    assert [each.label for each in inventory] == []
