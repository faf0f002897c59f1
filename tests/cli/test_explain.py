"""`rdma-cluster explain`: a key by its path or by its name alone, on one cloud or on several."""

from pathlib import Path

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.cli.explain import Explain
from rdma_cluster.common import CLOUDS
from rdma_cluster.common.stack import keys_of
from tests.cli.commands import command
from tests.cli.small_cloud import put_there

ZONE = "zone: text, required\n\n  Where all of it is, as us-1.\n\n  rdma-cluster:zone: us-1\n\n  on {}\n"
ELSEWHERE = "zone: text, optional\n\n  Elsewhere.\n\n  on oke\n"
SPOT = "pools.capacity.spot: true or false, optional\n\n  Whether spot.\n\n  on gke\n"
PAGES = {
    "rdma-cluster:zone": f"{ZONE.format('gce, gke')}\n{ELSEWHERE}",
    "gcp:project": "project: text, optional\n\n  Whose it is.\n\n  Default: mine.\n\n  on gce, gke\n",
    "mode": "mode: choice, optional\n\n  How it is made.\n\n  own: New: it.\n  given\n\n  on gce, gke\n",
    "labels": "labels: mapping, optional\n\n  Labels.\n\n  rdma-cluster:labels: {b: x, a: [y, 1]}\n\n  on gke\n",
    "network": "network: keys, optional\n\n  The network.\n\n  cidr: Its block.\n\n"
    "  rdma-cluster:network: {cidr: 10.0.0.0/8}\n\n  on gke\n",
    "pools[0].capacity.spot": SPOT,
    "spot": "spot: text, optional\n\n  Not that of a pool.\n\n  on oke\n",
    "cidr": "network.cidr: text, optional\n\n  Its block.\n\n  on gke\n",
}
"""The page of each key of the small clouds; a key at the top comes before one of the same name further below."""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder without a project, and the keys of small clouds."""
    put_there(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("key", PAGES)
def test_a_page_has_meaning_default_choices_keys_and_example(small: Path, capsys: pytest.CaptureFixture[str], key: str):
    """Clouds on which a key means the same share its page."""
    assert Explain(key=key, cloud=None).run() == 0
    assert capsys.readouterr().out == PAGES[key]


def test_clouds_of_the_project_come_first(small: Path, capsys: pytest.CaptureFixture[str]):
    """They do so where the files of its stacks can be read; an option names one cloud alone."""
    (small / "Pulumi.yaml").write_text("name: p")
    (stack := small / "Pulumi.lab.yaml").write_text("config: {rdma-cluster:cloud: oke}")
    Explain(key="zone", cloud=None).run()
    assert capsys.readouterr().out == f"{ELSEWHERE}\n{ZONE.format('gce, gke')}"
    Explain(key="zone", cloud="gke").run()
    assert capsys.readouterr().out == ZONE.format("gke")
    stack.write_text("[")
    Explain(key="zone", cloud=None).run()
    assert capsys.readouterr().out == PAGES["rdma-cluster:zone"]


@pytest.mark.parametrize(
    ("key", "cloud", "near"),
    [
        ("zoone", None, "did you mean zone?"),
        ("mod", "gce", "did you mean mode?"),
        ("xqwv", "gce", "the keys at the top are cloud, zone, project, mode"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_or_all_at_the_top(
    small: Path, key: str, cloud: str | None, near: str
):
    with pytest.raises(Refused, match=f"'{key}'") as refused:
        Explain(key=key, cloud=cloud).run()
    assert near.rstrip("?") in str(refused.value)


@pytest.mark.variant
@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_key_has_a_meaning_and_is_found_by_its_path(cloud: str):
    for key in (each for top in keys_of(cloud) for each in top.walk()):
        code, out, _ = command("explain", key.path)
        assert key.meaning and code == 0 and out.startswith(f"{key.path}: ")
        assert key.meaning.replace("``", "") in out.replace("\n  ", " ")
    assert command("explain", "rdma-cluster:cloud")[1].startswith("cloud: choice, required")
