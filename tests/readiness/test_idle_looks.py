"""When a look at the cluster ends early: nobody waits for a test, no proof is old, none is another pool's."""

from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from rdma_agent.prover import cluster_state

NOW = 1000
POOL = SimpleNamespace(name="p", fingerprint="f", renew_seconds=100)


def node(*, at: int = NOW, fingerprint: str = "f", **more: Any) -> SimpleNamespace:
    """A proven node, unless told otherwise."""
    is_like: dict[str, Any] = {"waits_for": "", "is_proven": True, "is_failed": False, "failed_with": ()} | more
    attempts = SimpleNamespace(failed_with=is_like.pop("failed_with"))
    proof = SimpleNamespace(at=at, fingerprint=fingerprint)
    return SimpleNamespace(pool="p", proof=proof, attempts=attempts, **is_like)


PROVEN, OLD, UNPROVEN = node(), node(at=NOW - 100), node(is_proven=False)
FAILED, WAITS = node(is_proven=False, is_failed=True), node(is_proven=False, waits_for="a device")


@pytest.mark.parametrize(
    ("nodes", "has_to_do"),
    [
        ([], False),
        ([PROVEN], False),
        ([node(at=NOW - 99)], False),
        ([OLD], True),
        ([node(fingerprint="g")], True),
        ([UNPROVEN], True),
        ([node(failed_with=("n2",))], True),
        ([FAILED], False),
        ([WAITS], False),
        ([node(waits_for="a device", at=0)], False),
        ([WAITS, UNPROVEN], True),
        ([FAILED, OLD], True),
        ([PROVEN, UNPROVEN], True),
    ],
)
def test_whether_there_is_anything_to_do(nodes: list[Any], has_to_do: bool):
    """One that fails or waits hides nobody behind it."""
    pools: Any = [POOL]

    assert cluster_state._has_to_do(nodes, [], pools, NOW) is has_to_do


def test_a_test_that_runs_is_looked_after():
    """Whatever its nodes are."""
    running: Any = [object()]

    assert cluster_state._has_to_do([], running, [], NOW) is True


@pytest.mark.parametrize(("seconds", "has_to_do"), [(0, False), (1, True)])
def test_a_pool_that_is_never_renewed(seconds: int, has_to_do: bool):
    """Has nothing to do however old its proofs are; a second is an age."""
    pools: Any = [SimpleNamespace(name="p", fingerprint="f", renew_seconds=seconds)]

    assert cluster_state._has_to_do([node(at=0)], [], pools, NOW) is has_to_do


def test_a_list_is_read_page_by_page():
    """Of 500 objects each, as far as the API server says that there is more."""
    pages = iter([
        {"items": [{"a": 1}, {"a": 2}], "metadata": {"continue": "next"}},
        {"items": None, "metadata": {"continue": "last"}},
        {"items": [{"a": 3}]},
    ])  # fmt: skip
    asked: list[str] = []

    def get(path: str) -> Any:
        asked.append(path)
        return next(pages)

    api: Any = SimpleNamespace(get=get)

    assert list(cluster_state.listed(api, "/x", labelSelector="p in (a,b)")) == [{"a": 1}, {"a": 2}, {"a": 3}]
    query = "/x?labelSelector=p+in+%28a%2Cb%29&limit=500"
    assert asked == [query, f"{query}&continue=next", f"{query}&continue=last"]


@pytest.mark.parametrize(
    ("containers", "told"),
    [
        ([("verdict", "{}")], "{}"),
        ([("verdict", "")], ""),
        ([("launcher", "x"), ("verdict", "{}")], "{}"),
        ([("launcher", "x")], ""),
        ([], ""),
    ],
)
@pytest.mark.parametrize("label", ["batch.kubernetes.io/job-name", "training.kubeflow.org/job-name"])
def test_the_verdict_of_a_test(label: str, containers: list[tuple[str, str]], told: str):
    """What the judge left and when, in a Job's pod or an MPIJob's."""
    statuses = [
        {"name": name, "state": {"terminated": {"message": text, "finishedAt": "1970-01-01T00:01:00Z"}}}
        for name, text in containers
    ]
    items = [{"status": {}}, {"status": {"containerStatuses": statuses}}]
    api: Any = SimpleNamespace(get=lambda path: {"items": items if quote(label) in path else None})

    assert cluster_state._verdict(api, "test") == (told, 60 if told else 0)
