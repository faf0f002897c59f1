"""`rdma-cluster conform`: exit codes, words, and what is refused, on snapshots and before a cluster that answers."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st
from pulumi_offline.errors import Refused
from rdma_cluster.catalog.images import JUDGE_PYTHON
from rdma_cluster.cli import living
from rdma_cluster.conform.judge import differences
from rdma_cluster.conform.reader import Answers, read_answers
from rdma_cluster.conform.snapshot import FORM, as_text, checked
from tests.cli.commands import command
from tests.conform.synthetic import answers, promised
from tests.examples import examples

GKE = promised("gke")
WHOLE = answers(GKE)


def moved(nodes: tuple[str, ...] = ("a4-1",)) -> Answers:
    """The answers of a cluster in which a rail of these nodes is on another root."""
    given = copy.deepcopy(WHOLE)
    for each in given.slices:
        if each["spec"]["nodeName"] in nodes and each["spec"]["driver"] == "dra.net":
            (rail,) = [device for device in each["spec"]["devices"] if device["name"] == "rail-3"]
            rail["attributes"]["resource.kubernetes.io/pcieRoot"] = {"string": "pci00aa:00"}
    return given


def snapshot(given: Answers) -> Any:
    """The snapshot as it is saved."""
    return read_answers(given, GKE.pool_label, [pool.name for pool in GKE.pools], "0.1.0").snapshot


def offline(folder: Path, given: Answers, *words: str) -> tuple[int, str, str]:
    """Runs the command on a saved snapshot."""
    (folder / "snapshot.json").write_text(as_text(snapshot(given)))
    return command("conform", "gke", "--offline", str(folder / "snapshot.json"), *words)


@pytest.fixture
def living_cluster(monkeypatch: pytest.MonkeyPatch) -> Callable[[Answers], list[Any]]:
    """Makes a cluster answer so, and say why a node was not looked at; it keeps what it was asked."""
    asked: list[Any] = []

    def answering(given: Answers) -> list[Any]:
        def read_cluster(kubeconfig: Path, expected: Any, namespaces: Any, image: str | None) -> Any:
            assert (kubeconfig, expected.pools[0].name) == (Path("k"), "a4")
            asked.append((tuple(namespaces), image))
            return given, ["a4-0: no pod could look"]

        monkeypatch.setattr(living, "read_cluster", read_cluster)
        return asked

    return answering


def test_a_cluster_that_conforms_says_how_much_was_seen(tmp_path: Path):
    code, out, err = offline(tmp_path, WHOLE)

    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "stack gke: 2 nodes seen, 0 differences, no promise is broken"


def test_a_broken_promise_is_told_first_with_the_claims_that_fail_and_what_to_do(tmp_path: Path):
    """A newer Kubernetes is a difference, and no broken promise."""
    code, out, _ = offline(tmp_path, replace(moved(), version="v1.40.1"))
    broken, follows, *rest = out.splitlines()
    kinds = [line.partition(":")[0] for line in (broken, *rest) if line.startswith(("breaks", "differs"))]

    assert code == 1 and broken.startswith("breaks: pool a4, node 1 of the snapshot: rail 3: nic root: ")
    assert "expected pciffff:01 (measured)" in broken
    assert "a4-highgpu-8g-pairs-1-rail-3" in follows and "take --whole" in follows
    assert kinds == sorted(kinds) and kinds[-1] == "differs"
    told = json.loads(offline(tmp_path, replace(WHOLE, version="v1.40.1"), "--json")[1])
    assert told["conforms"] is True and [each["breaks"] for each in told["differences"]] == [False]
    assert told["differences"][0].items() > {"kind": "kubernetes newer", "pool": None, "node": None}.items()


@pytest.mark.parametrize(
    ("nodes", "named"), [(3, "a4-0, a4-1, a4-2"), (4, "a4-0, a4-1, a4-2 and 1 more")], ids=["three", "four"]
)
def test_three_nodes_that_differ_alike_are_named(living_cluster: Any, nodes: int, named: str):
    names = tuple(f"a4-{i}" for i in range(nodes))
    given = moved()
    slices = [each for each in given.slices if each["spec"]["nodeName"] == "a4-1"]
    again = [
        {**each, "spec": {**each["spec"], "nodeName": name, "pool": {**each["spec"]["pool"], "name": name}}}
        for each in slices
        for name in names
    ]
    own = [{**given.nodes[0], "metadata": {**given.nodes[0]["metadata"], "name": name}} for name in names]
    living_cluster(replace(given, nodes=own, slices=again, looks={}))
    out = command("conform", "gke", "--kubeconfig", "k")[1]

    assert any(line.startswith(f"breaks: pool a4, {named}: rail 3: nic root: ") for line in out.splitlines())


def test_a_living_cluster_is_asked_for_its_claims_and_by_a_pod_from_the_mirror(living_cluster: Any):
    asked = living_cluster(WHOLE)
    host, _, rest = JUDGE_PYTHON.image.partition("/")
    words = ("conform", "gke", "--kubeconfig", "k")
    code, out, _ = command(*words)
    command(*words, "--no-pod")
    command(*words, "--set", "claims.namespaces=[x, y]", "--set", f"registries={{{host}: m.example}}")

    assert code == 0 and "not seen: a4-0: no pod could look" in out.splitlines()
    assert asked == [(("default",), JUDGE_PYTHON.image), (("default",), None), (("x", "y"), f"m.example/{rest}")]
    assert json.loads(command(*words, "--json")[1])["notSeen"] == ["a4-0: no pod could look"]


def test_gpu_nodes_of_a_pool_that_the_plan_has_not_are_told(living_cluster: Any):
    """A pool that was renamed may still be there; a pool of other machines is not ours to judge."""
    ours = WHOLE.nodes[0]
    labels = {**ours["metadata"]["labels"], "cloud.google.com/gke-nodepool": "old"}
    others = [{**ours, "metadata": {"name": f"o-{i}", "labels": labels}} for i in range(2)]
    plain = {"node.kubernetes.io/instance-type": "e2-standard-16", "cloud.google.com/gke-nodepool": "system"}
    living_cluster(replace(WHOLE, nodes=[*WHOLE.nodes, *others, {"metadata": {"name": "s", "labels": plain}}]))
    code, out, _ = command("conform", "gke", "--kubeconfig", "k")
    told = [line for line in out.splitlines() if line.startswith("not seen: pool ")]

    assert code == 0 and told == ["not seen: pool old: 2 x a4-highgpu-8g, and the plan has no such pool"]


def test_a_snapshot_is_saved_without_names_and_always_the_same(living_cluster: Any, tmp_path: Path):
    living_cluster(moved())
    first, again = tmp_path / "first.json", tmp_path / "again.json"
    code, _, err = command("conform", "gke", "--kubeconfig", "k", "--save", str(first))
    command("conform", "gke", "--offline", str(first), "--save", str(again))

    assert code == 1 and str(first) in err and "a4-1" not in first.read_text()
    assert again.read_text() == first.read_text()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("gke",), "--kubeconfig"),
        (("gke", "--offline", "a", "--kubeconfig", "b"), "--kubeconfig"),
        (("gce", "--offline", "a"), "gce"),
        (("gke", "--offline", "none.json"), "none.json: "),
        (("gke", "--kubeconfig", "none.yaml"), "--kubeconfig: none.yaml"),
    ],
)
def test_wrong_input_is_refused_in_one_line(words: tuple[str, ...], named: str):
    code, out, err = command("conform", *words)

    assert (code, out, err.count("\n")) == (2, "", 1) and named in err


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "[]"),
        ('{"form": "rdma-cluster/snapshot/9", "nodes": []}', "'rdma-cluster/snapshot/9'"),
        (json.dumps({"form": FORM}), "nodes: "),
        (json.dumps({"form": FORM, "nodes": [{"pool": "a", "machine": 1}]}), "nodes[0].pool: "),
        (json.dumps({"form": FORM, "nodes": [], "owner": "x"}), "owner: "),
    ],
    ids=lambda text: text[:40],
)
def test_a_file_that_is_no_snapshot_is_refused_with_its_place(text: str, place: str, tmp_path: Path):
    path = tmp_path / "snapshot.json"
    path.write_text(text)
    code, _, err = command("conform", "gke", "--offline", str(path))

    assert code == 2 and place in err and "Traceback" not in err


ODD = st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.lists(st.text(max_size=3), max_size=2)
PLAIN = snapshot(WHOLE)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything in a snapshot."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(each for key, of in items for each in places(of, (*path, key)))]


@settings(max_examples=examples(12, 200))
@given(st.sampled_from(places(PLAIN)[1:]), ODD)
@example(("nodes", 1, "devices", 0, "versions", "gpu.nvidia.com/driverVersion"), ":")
def test_any_change_of_a_file_is_refused_or_judged(path: tuple[Any, ...], odd: Any):
    """Files come from other people."""
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
