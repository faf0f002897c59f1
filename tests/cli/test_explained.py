"""Pages of `explain`, whole: a key by its path, by its name alone, on one cloud or on several."""

from pathlib import Path

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.cli.explain import Explain, flow
from tests.cli.small_cloud import put_there

ZONE = """\
zone: text, required

  Where all of it is, as us-1.

  rdma-cluster:zone: us-1

  on {}
"""
ELSEWHERE = "zone: text, optional\n\n  Elsewhere.\n\n  on oke\n"
SPOT = "pools.capacity.spot: true or false, optional\n\n  Whether spot.\n\n  on gke\n"
OTHER_SPOT = "spot: text, optional\n\n  Not that of a pool.\n\n  on oke\n"
PAGES = {
    "zone": f"{ZONE.format('gce, gke')}\n{ELSEWHERE}",
    "rdma-cluster:zone": f"{ZONE.format('gce, gke')}\n{ELSEWHERE}",
    "gcp:project": "project: text, optional\n\n  Whose it is.\n\n  Default: mine.\n\n  on gce, gke\n",
    "mode": "mode: choice, optional\n\n  How it is made.\n\n  own: New: it.\n  given\n\n  on gce, gke\n",
    "labels": "labels: mapping, optional\n\n  Labels.\n\n  rdma-cluster:labels: {b: x, a: [y, 1]}\n\n  on gke\n",
    "pools": """\
pools: list of keys, required

  The pools.

  name: Its name.
  nodes: How many.
  capacity: Where from.

  rdma-cluster:pools: [{name: a, nodes: 2}, {name: b, capacity: {spot: true}}]

  on gke
""",
    "pools[0].capacity.spot": SPOT,
    "pools[].capacity.spot": SPOT,
    "spot": OTHER_SPOT,
    "bucket": "storage.bucket: text, required\n\n  Its name.\n\n  on gke\n",
    "cloud": "cloud: choice, required\n\n  The stack program to run.\n\n  aks\n  eks\n  gce\n  gke\n  oke\n\n"
    "  on aks, eks, gce, gke, oke\n",
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder without a project, and the keys of small clouds."""
    put_there(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("key", PAGES)
def test_a_page(asked: Path, capsys: pytest.CaptureFixture[str], key: str):
    """What a key means, its default, choices, keys and example; clouds that say the same share a page.

    A path or a key at the top comes before a name further below.
    """
    assert Explain(key=key, cloud=None).run() == 0
    assert capsys.readouterr().out == PAGES[key]


def test_clouds_of_a_project_come_first(asked: Path, capsys: pytest.CaptureFixture[str]):
    """Where the files of its stacks can be read; an option names one cloud alone."""
    (asked / "Pulumi.yaml").write_text("name: p")
    (stack := asked / "Pulumi.lab.yaml").write_text("config: {rdma-cluster:cloud: oke}")
    Explain(key="zone", cloud=None).run()
    assert capsys.readouterr().out == f"{ELSEWHERE}\n{ZONE.format('gce, gke')}"
    Explain(key="zone", cloud="gke").run()
    assert capsys.readouterr().out == ZONE.format("gke")
    stack.write_text("[")
    Explain(key="zone", cloud=None).run()
    assert capsys.readouterr().out == PAGES["zone"]


@pytest.mark.parametrize(
    ("key", "cloud", "said"),
    [
        ("zoone", None, "no key 'zoone'; did you mean zone or zones?"),
        ("netork.cdr", None, "no key 'netork.cdr'; did you mean network.cidr or network?"),
        ("modes", "gce", "no key 'modes'; did you mean mode?"),
        ("xqwv", "gce", "no key 'xqwv'; the keys at the top are cloud, zone, project, mode"),
        (
            "xqwv",
            "gke",
            "no key 'xqwv'; the keys at the top are cloud, zone, project, mode, most, on, off, version, labels, "
            "zones, modes, pools, network, storage",
        ),
        ("xqwv", "oke", "no key 'xqwv'; the keys at the top are cloud, zone, spot"),
    ],
)
def test_no_such_key(asked: Path, key: str, cloud: str | None, said: str):
    """The nearest of the clouds that were looked at, or all at the top."""
    with pytest.raises(Refused) as refused:
        Explain(key=key, cloud=cloud).run()
    assert refused.value.lines == [said]


def test_an_example_stays_on_its_line():
    """However long: it is copied from there."""
    assert flow({"b": ["word"] * 99, "a": "x"}) == f"{{b: [{', '.join(['word'] * 99)}], a: x}}"
    assert [flow(value) for value in ("text", "1.30", True, 3)] == ["text", "'1.30'", "true", "3"]
