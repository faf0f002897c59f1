"""The real engine with providers' own plugins, where there are any."""

import shutil
from pathlib import Path

import pytest
from rdma_cluster.errors import Refused
from rdma_cluster.rehearsal.controlplane.servers import find_programs
from rdma_cluster.rehearsal.real.plugin import find_plugin
from rdma_cluster.rehearsal.real.record import REAL, real_provider

HERE = Path(__file__).parent


def left_out(package: str) -> str:
    """What is missing for the tests with a provider; empty where nothing is."""
    if shutil.which("pulumi") is None:
        return "needs `pulumi` on PATH; DEVELOPERS.md says where to get it"
    try:
        find_plugin(real_provider(package))
        if package == "kubernetes":
            find_programs("")
    except Refused as refused:
        return str(refused)
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of a provider are those in the file that bears its name."""
    for item in items:
        if item.path.is_relative_to(HERE):
            package = next(name for name, module in REAL.items() if item.path.stem == f"test_{module}")
            if reason := left_out(package):
                item.add_marker(pytest.mark.skip(reason=reason))
