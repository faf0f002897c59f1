"""How `up` learns what the machines have proved: it asks until the verdict is that of its own order."""

from collections.abc import Callable, Mapping
from typing import Any

import pulumi
import pytest
from pulumi_offline import preview
from rdma_cluster import gce
from tests.gce.plans import pool_of

TOKEN = "gcp:compute/getInstanceGuestAttributes:getInstanceGuestAttributes"
POOL = gce.GcePool(name="a3", machine="a3-highgpu-8g", nodes=2, capacity=gce.GceCapacity(spot=True))
ARGS = gce.GceRdmaClusterArgs(project="my-project", zone="us-central1-a", pools=[POOL])


def order_id() -> str:
    order = pool_of().order
    assert order is not None
    return order.id


def proofs(answers: list[str], asked: list[dict[str, Any]], **choices: Any) -> dict[str, Any]:
    """The proof of a stack `s` whose leading machine leaves these verdicts, one after the other."""
    found: list[dict[str, Any]] = []

    def answer(args: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.append(dict(args))
        text = answers.pop(0) if len(answers) > 1 else answers[0]
        others = {"key": "progress", "namespace": "nccl-acceptance", "value": "another key"}
        verdict = {"key": "verdict", "namespace": "nccl-acceptance", "value": text}
        return {"queryValues": [others, verdict]} if text else {}

    def program() -> None:
        gce.GceRdmaCluster("s", gce.GceRdmaClusterArgs(**{**ARGS, **choices})).proofs.apply(found.append)

    preview(program, invokes={TOKEN: answer})
    return found[0]["a3"]


@pytest.fixture
def up(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The same as in an `up` whose machines are quick."""
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: False)
    monkeypatch.setattr("rdma_cluster.gce.verdict._ASK_SECONDS", 0)

    def run(*answers: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        asked: list[dict[str, Any]] = []
        return proofs(list(answers), asked), asked

    return run


def test_up_waits_for_the_verdict_of_its_own_order(up: Callable[..., Any]):
    """First nothing is there, then what an older order left."""
    older = ("0123456789ab failed\nbandwidth: slow", "0123456789ab proven\npassed; 70 GB/s")
    proof, asked = up("", *older, f"{order_id()} proven\npassed; 71 GB/s\n")

    assert (proof["status"], proof["verdict"]) == ("proven", "passed; 71 GB/s")
    assert len(asked) == 4
    place = {"project": "my-project", "zone": "us-central1-a"}
    assert asked[0] == {"name": "s-a3-0", **place, "queryPath": "nccl-acceptance/"}


def test_a_failed_proof_ends_the_up(up: Callable[..., Any]):
    """It ends with the judge's words, and with where all of them are."""
    with pytest.raises(pulumi.RunError, match="pool a3 is not proven:\nsocket: fell back") as failed:
        up(f"{order_id()} failed\nsocket: fell back to TCP sockets on s-a3-1")

    assert "gcloud compute ssh s-a3-0 --tunnel-through-iap" in str(failed.value)


def test_up_does_not_wait_for_a_verdict_for_ever(up: Callable[..., Any], monkeypatch: pytest.MonkeyPatch):
    """It says what the reader of an attribute must be allowed."""
    hours = iter(range(0, 36_000, 900))
    monkeypatch.setattr("rdma_cluster.gce.verdict.monotonic", lambda: next(hours))

    with pytest.raises(pulumi.RunError, match=r"no verdict from s-a3-0 within 56 min.*getGuestAttributes"):
        up("")
    # The hour begins at 0 and is looked at after each question: 3,390 seconds are over with the fourth.
    assert next(hours) == 4 * 900 + 900


def test_nothing_is_asked_where_nothing_is_ordered():
    asked: list[Any] = []
    proof = proofs([""], asked, acceptance={"enabled": False})

    assert (proof["reason"], asked) == ("acceptance is disabled", [])


@pytest.mark.parametrize(
    ("left", "status"),
    [("", "not proven"), ("{} proven\npassed", "proven"), ("{} proven", "proven"), ("{}", "not proven")],
)
def test_a_preview_asks_once_and_waits_for_nobody(left: str, status: str):
    asked: list[dict[str, Any]] = []

    assert proofs([left.format(order_id())], asked)["status"] == status
    assert len(asked) == 1
