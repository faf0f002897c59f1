"""The real engine with providers' own plugins, where there are any."""

from pathlib import Path

import pytest
from rdma_cluster.rehearsal.real.record import REAL

from tests.real.plugins import missing

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of a provider are those in the file that bears its module's name: `test_kubernetes.py`."""
    package = {f"test_{module}": name for name, module in REAL.items()}
    for item in items:
        if item.path.is_relative_to(HERE) and (lack := missing(package[item.path.stem])):
            item.add_marker(pytest.mark.skip(reason=lack))
