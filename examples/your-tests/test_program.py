"""A test of your own program: no account, no engine, no network, and every input checked against its SDK.

pytest test_program.py
"""

from pathlib import Path

from pulumi_offline import preview

PROGRAM = Path(__file__).parents[1] / "foreign"


def test_rails_are_attached_in_order():
    """The NICs of a node come in the order of this list."""
    pool = preview(PROGRAM).one("gcp:container/nodePool:NodePool").inputs

    attached = [each["subnetwork"] for each in pool["networkConfig"]["additionalNodeNetworkConfigs"]]
    assert attached == ["fabric-gvnic", *(f"fabric-rail-{i}" for i in range(8))]


def test_checkpoints_survive_a_destroy():
    """A bucket that is not empty is never deleted by force."""
    assert "forceDestroy" not in preview(PROGRAM).one("gcp:storage/bucket:Bucket").inputs
