"""A browser is unpacked from the pinned archive alone, and a missing one is told."""

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
