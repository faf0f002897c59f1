"""A browser is unpacked from the pinned archive alone, and a missing one is told."""

import subprocess
import sys
from pathlib import Path

import pytest
from tools.browser import found


def test_another_archive_is_not_unpacked(tmp_path: Path):
    """Nothing of it is opened, whatever a registry answers with."""
    archive = tmp_path / "chromium.tgz"
    archive.write_bytes(b"no archive")

    with pytest.raises(found.NotFetchedError, match=r"chromium\.tgz: its digest is not the pinned one"):
        found.unpack(archive, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["chromium.tgz"]


@pytest.mark.thorough
def test_without_a_registry_the_tests_go_on(tmp_path: Path):
    """npm's reason is told with what to install, so that `make thorough` goes on."""
    environment = {"PATH": "", "HOME": str(tmp_path), "npm_config_registry": "http://127.0.0.1:9"}
    command = [sys.executable, "-m", "tools.browser.found"]
    environment["PYTHONPATH"] = "components:rehearsal:."
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=Path(__file__).parents[3])

    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert done.stderr == f"npm: code ECONNREFUSED; tests of pages are skipped ({found.MISSING})\n"
