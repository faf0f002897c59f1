"""What all tests share."""

import gc

import pytest

from tests.stacks import PROGRAMS, STACKS, cloud_of

# Half of the time with the SDKs loaded goes to the collector looking at what lives as long as the process.
gc.set_threshold(200_000, 50, 100)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Processes that run side by side share no graph and no fixture: each takes all tests of a cloud, or of a file."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_cloud(item) or item.path.name))


def _cloud(item: pytest.Item) -> str | None:
    """The cloud that a test is about, by its folder or its parameters."""
    if item.path.parent.name in PROGRAMS:
        return item.path.parent.name
    callspec = getattr(item, "callspec", None)
    given = [str(value) for value in callspec.params.values()] if callspec else []
    return next((cloud_of(each) if each in STACKS else each for each in given if each in (*STACKS, *PROGRAMS)), None)
