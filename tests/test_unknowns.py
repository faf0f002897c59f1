"""Values that only a cloud will know: told apart from those that are known, with where they come from."""

import pytest
from pulumi_offline.unknowns import SECRET, UNKNOWN, host, known, output_of

LINK = output_of("selfLink", "gcp:compute/network:Network", "rail-0")


@pytest.mark.parametrize(
    "value", [LINK, f"projects/{LINK}/x", UNKNOWN, SECRET, host("bucket", "Gcs"), "https://x.invalid/y", "[unknown]"]
)
def test_what_is_not_known(value: str):
    """An output, a secret, the engine's mark, a host that never resolves: wherever in the text."""
    assert not known(value)


@pytest.mark.parametrize(
    "value", ["", "rail-0", "[]", "a of b", "invalid", "x.invalidated", 7, None, {"a": LINK}, "[x]"]
)
def test_what_is_known(value: object):
    """All else; what holds more than a text is asked about its parts."""
    assert known(value)
