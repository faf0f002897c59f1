"""The programs of examples/ on the real engine: beside what exists, in a cluster of somebody else, on two clouds."""

from pathlib import Path

import pytest
from tests.rehearsal.stages import rehearsed, wrong
from tests.stacks import ROOT

PROGRAMS = sorted(path.parent for path in (ROOT / "examples").glob("*/__main__.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda folder: folder.name)
def test_a_program_lives_and_goes(program: Path, tmp_path: Path):
    """`up`; a second preview and a refresh change nothing; `destroy` leaves nothing of it."""
    outcomes = rehearsed("dev", tmp_path, "up", parallel=64, root=program)

    assert wrong(outcomes) == {}
    assert [each.what for each in outcomes][-1] == "destroy"
