"""What the page of faults says of the watcher's figures."""

from tests.readiness.in_pod import load
from tests.stacks import ROOT


def test_how_often_it_looks():
    """As the watcher does where nobody tells it otherwise."""
    page = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")

    assert f"every {load('fault_watcher').EVERY_SECONDS} seconds" in " ".join(page.split())
