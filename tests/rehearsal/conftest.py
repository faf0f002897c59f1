"""The real engine, where there is one."""

import shutil
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NEEDED = "needs `pulumi` on PATH; DEVELOPERS.md says where to get it"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without an engine nothing here can run."""
    if shutil.which("pulumi") is None:
        for item in items:
            if item.path.is_relative_to(HERE):
                item.add_marker(pytest.mark.skip(reason=NEEDED))
