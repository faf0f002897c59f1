"""Parts of the course that only the real Kubernetes provider has, on a living stack."""

from collections.abc import Iterator
from typing import Any

from ...scenario import REFRESH, Outcome, why
from ..record import Living
from .cluster import OnCluster

MESSAGE = "rdma-cluster: rail 3 of node-1 is slow: 41.2 GB/s, expected 320"
"""What the pods of a failed acceptance test leave as their last word."""
_JOB = "kubernetes:batch/v1:Job"


def parts(living: Living, cluster: OnCluster) -> Iterator[Outcome]:
    """One after the other."""
    yield from _failed_acceptance(living, cluster)
    yield _vanished(living, cluster)
    yield from _emptied(living, cluster)


def _failed_acceptance(living: Living, cluster: OnCluster) -> Iterator[Outcome]:
    """The verdict's words reach the engine's error; then only the test is made anew."""
    if not any(each["type"] == _JOB and "NcclAcceptance" in each["urn"] for each in living.state()):
        return
    cluster.kubelet.fail(MESSAGE)
    living.with_settings("acceptance.rerun=again")
    ran = living.run_engine("up", "--yes", "--skip-preview", "--continue-on-error")
    wrong = [] if ran.code else ["`up` took a cluster whose fabric is not proven"]
    if MESSAGE not in ran.text:
        wrong.append(f"the verdict is not in the engine's error: {' / '.join(ran.errors[:3])}")
    yield Outcome("a failed acceptance", tuple(wrong), " / ".join(ran.errors[:2])[:300], ran.seconds)
    cluster.kubelet.fail("")
    yield living.converges("up when the fault is mended")
    living.with_settings()
    yield living.converges("back to the beginning")


def _vanished(living: Living, cluster: OnCluster) -> Outcome:
    """One object of each kind is deleted behind the engine's back; `refresh` sees it, `up` makes it anew."""
    objects = [each for each in _objects(living) if each["type"].endswith(f":{each['outputs'].get('kind')}")]
    chosen = {each["type"]: each for each in reversed(objects) if not each["type"].endswith("Definition")}
    cluster.delete(each["outputs"] for each in chosen.values())
    seen = living.run_engine(*REFRESH)
    known = {each["urn"] for each in living.state()}
    missed = [each["urn"] for each in chosen.values() if each["urn"] in known]
    made = living.converges("")
    wrong = (*why(seen), *(f"`refresh` did not see that it is gone: {each}" for each in missed), *made.wrong)
    names = ", ".join(sorted(each.rpartition(":")[2] for each in chosen))
    return Outcome("deleted behind the engine's back", wrong, f"{names}: {made.said}", seen.seconds + made.seconds)


def _emptied(living: Living, cluster: OnCluster) -> Iterator[Outcome]:
    """The provider deletes all that the stack has in the cluster, which stays; then it is made anew.

    `destroy` leaves that to the cluster's own end.
    """
    targets = [word for each in _objects(living) for word in ("--target", each["urn"])]
    ran = living.run_engine("destroy", "--yes", "--skip-preview", "--target-dependents", *targets)
    left = [f"left on the server: {each}" for each in cluster.of_stack()]
    yield Outcome(
        "all objects deleted, the cluster stays", (*why(ran), *left), f"{len(targets) // 2} objects", ran.seconds
    )
    yield living.converges("all objects made anew")


def _objects(living: Living) -> list[dict[str, Any]]:
    """The resources of the state that are objects in the cluster, or releases."""
    state = living.state()
    return [
        each
        for each in state
        if each["type"].startswith("kubernetes:") and each.get("custom") and not each.get("external")
    ]
