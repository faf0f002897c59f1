"""Values that only a cloud will know are told apart from those that are known."""

import pytest
from pulumi_offline.unknowns import SECRET, UNKNOWN, host, known, output_of

LINK = output_of("selfLink", "gcp:compute/network:Network", "rail-0")


@pytest.mark.parametrize(
    "value", [LINK, f"projects/{LINK}/x", UNKNOWN, SECRET, host("bucket", "Gcs"), "https://x.invalid/y", "[unknown]"]
)
def test_outputs_secrets_and_marks_of_the_engine_are_not_known(value: str):
    """They may stand anywhere in a text."""
    assert not known(value)


@pytest.mark.parametrize(
    "value", ["", "rail-0", "[]", "a of b", "invalid", "x.invalidated", 7, None, {"a": LINK}, "[x]"]
)
def test_all_other_values_are_known(value: object):
    """What holds more than a text is asked about its parts."""
    assert known(value)
