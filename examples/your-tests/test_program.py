"""A test of your own program: no account, no engine, no network, and every input checked against its SDK.

pytest test_program.py
"""

from pathlib import Path

from pulumi_offline import preview

PROGRAM = Path(__file__).parents[1] / "composed-gke"


def test_rails_are_attached_in_order():
    """The NICs of a node come in the order of this list."""
    pool = preview(PROGRAM).one("gcp:container/nodePool:NodePool", "train-a4").inputs

    attached = [each["subnetwork"] for each in pool["networkConfig"]["additionalNodeNetworkConfigs"]]
    assert attached == ["train-gvnic", *(f"train-rail-{i}" for i in range(8))]


def test_nothing_goes_to_an_ambient_cluster():
    """Every object names the provider of the cluster that this program makes."""
    graph = preview(PROGRAM)

    providers = {each.provider for each in graph.resources if each.type.startswith("kubernetes:")}
    assert providers == {graph.one("pulumi:providers:kubernetes").urn}
