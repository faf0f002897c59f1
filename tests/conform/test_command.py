"""`rdma-cluster conform` on snapshots: exit codes, words, what is refused."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st
from pulumi_offline.errors import Refused
from rdma_cluster.conform.judge import differences
from rdma_cluster.conform.reader import Answers, read_answers
from rdma_cluster.conform.snapshot import FORM, as_text, checked
from tests.cli.commands import command
from tests.conform.synthetic import answers, promised
from tests.examples import examples

GKE = promised("gke")
WHOLE = answers(GKE)


def snapshot(given: Answers) -> Any:
    """As it is saved."""
    return read_answers(given, GKE.pool_label, [pool.name for pool in GKE.pools], "0.1.0").snapshot


def file(tmp_path: Path, given: Answers) -> str:
    """A saved snapshot."""
    path = tmp_path / "snapshot.json"
    path.write_text(as_text(snapshot(given)))
    return str(path)


def test_a_cluster_that_conforms(tmp_path: Path):
    """Exit code 0, and how much was seen."""
    code, out, err = command("conform", "gke", "--offline", file(tmp_path, WHOLE))

    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "stack gke: 2 nodes seen, 0 differences, no promise is broken"


def test_a_nic_on_another_root(tmp_path: Path):
    """The difference, how the figure was known, the claims that fail, and what to do; exit code 1."""
    given = copy.deepcopy(WHOLE)
    (rails,) = [
        each for each in given.slices if each["spec"]["nodeName"] == "a4-1" and each["spec"]["driver"] == "dra.net"
    ]
    (rail,) = [each for each in rails["spec"]["devices"] if each["name"] == "rail-3"]
    rail["attributes"]["resource.kubernetes.io/pcieRoot"] = {"string": "pci00aa:00"}

    code, out, _ = command("conform", "gke", "--offline", file(tmp_path, given))

    assert code == 1
    assert "breaks: pool a4, node 1 of the snapshot: rail 3: nic root" in out
    assert "claims fail on this node: a4-highgpu-8g-pairs-1-rail-3" in out
    assert "take --whole" in out and "docs/contributing.md" in out


def test_what_breaks_nothing_ends_with_zero(tmp_path: Path):
    """A newer Kubernetes is a difference, and no broken promise."""
    given = copy.deepcopy(WHOLE)
    newer = file(tmp_path, replace(given, version="v1.40.1"))

    code, out, _ = command("conform", "gke", "--offline", newer, "--json")

    assert code == 0
    told = json.loads(out)
    assert told["conforms"] is True
    assert [(each["kind"], each["breaks"]) for each in told["differences"]] == [("kubernetes newer", False)]


def test_what_nobody_looked_at_is_told(tmp_path: Path):
    """Without the pod: PCI tree and rates are not judged, and so not called kept."""
    code, out, _ = command("conform", "gke", "--offline", file(tmp_path, replace(WHOLE, looks={})))

    assert code == 0
    assert "not seen: pool a4: PCI tree, NUMA nodes, rates and firmware of its NICs" in out


def test_a_snapshot_is_saved_as_it_was_read(tmp_path: Path):
    """Once saved, always the same: redaction leaves what has its form."""
    first, again = Path(file(tmp_path, WHOLE)), tmp_path / "again.json"

    code, _, err = command("conform", "gke", "--offline", str(first), "--save", str(again))

    assert code == 0 and "no name, address or id of yours" in err
    assert again.read_text() == first.read_text()


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("gke",), "name exactly one of --kubeconfig"),
        (("gke", "--offline", "a", "--kubeconfig", "b"), "name exactly one of --kubeconfig"),
        (("gce", "--offline", "a"), "stack gce has no Kubernetes"),
        (("gke", "--offline", "none.json"), "none.json: No such file"),
        (("gke", "--kubeconfig", "none.yaml"), "--kubeconfig: none.yaml is no kubeconfig that can be read"),
    ],
)
def test_wrong_input_is_refused(words: tuple[str, ...], answer: str):
    """In one line, with what to do."""
    code, out, err = command("conform", *words)

    assert (code, out) == (2, "")
    assert answer in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", "is no JSON"),
        ("{", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("[]", "has the form []"),
        ('{"form": "rdma-cluster/snapshot/9", "nodes": []}', "has the form 'rdma-cluster/snapshot/9'"),
        (json.dumps({"form": FORM}), "nodes: missing"),
        (json.dumps({"form": FORM, "nodes": [{"pool": "a", "machine": 1}]}), "nodes[0].pool: must be a whole number"),
        (json.dumps({"form": FORM, "nodes": [{"pool": -1, "machine": "a"}]}), "nodes[0]: pool is 0 or more"),
        (json.dumps({"form": FORM, "nodes": [], "owner": "x"}), "owner: unknown key"),
    ],
)
def test_a_file_that_is_no_snapshot_is_refused(text: str, answer: str, tmp_path: Path):
    """With its place."""
    path = tmp_path / "snapshot.json"
    path.write_text(text)

    code, _, err = command("conform", "gke", "--offline", str(path))

    assert code == 2 and answer in err and "Traceback" not in err


_ODD = st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.lists(st.text(max_size=3), max_size=2)
PLAIN = snapshot(WHOLE)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything in a snapshot."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(each for key, of in items for each in places(of, (*path, key)))]


@settings(max_examples=examples(12, 200))
@given(st.sampled_from(places(PLAIN)[1:]), _ODD)
@example(("nodes", 1, "devices", 0, "versions", "gpu.nvidia.com/driverVersion"), ":")
def test_any_change_of_a_file_is_refused_or_judged(path: tuple[Any, ...], odd: Any):
    """Files come from others."""
    changed = copy.deepcopy(PLAIN)
    at: Any = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = odd
    try:
        read = checked(changed, "snapshot")
    except Refused:
        return
    differences(read, GKE)
