"""Simulated clouds for each test; their servers start in milliseconds."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.simulated.engine import Clouds


@pytest.fixture
def clouds(tmp_path: Path) -> Generator[Clouds]:
    """Clouds with nothing in them, in which nobody waits."""
    with Clouds(tmp_path / "world").served() as served:
        yield served
