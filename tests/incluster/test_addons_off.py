"""Weights in a stack's storage, and keys of add-ons that are off."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.addons import Addons
from rdma_cluster.incluster.addons.inference.add_on import _from_storage
from rdma_cluster.incluster.addons.storage.args import StorageKind
from rdma_cluster.incluster.addons.storage.store import Mounted, Store
from tests.incluster.pools import CONTEXT, GIB
from tests.incluster.test_addons import MODERN, ON, made
from tests.incluster.test_in_cluster import OURS, THEIRS, refused

SIZED = Store(StorageKind.LUSTRE, "data", Mounted("lustre", capacity_gib=1000), annotations={"a": "b"})


@pytest.mark.parametrize(
    ("weights", "store", "expected"),
    [
        # A claim of ours, with its size and what its driver asks of pods.
        (
            {"storage": True, "annotations": {"c": "d"}},
            SIZED,
            {"storage": True, "claim": "data", "claim_gb": 1073, "annotations": {"a": "b", "c": "d"}},
        ),
        (
            {"storage": True, "annotations": {"a": "own"}},
            SIZED,
            {"storage": True, "claim": "data", "claim_gb": 1073, "annotations": {"a": "own"}},
        ),
        ({"storage": True, "path": "p"}, OURS, {"storage": True, "claim": "data", "path": "p"}),
        # One that is there is as if it were named here.
        ({"storage": True, "path": "p"}, THEIRS, {"claim": "data", "path": "p"}),
        # None: the plan says so.
        ({"storage": True}, replace(THEIRS, claim=""), {"storage": True}),
        ({"storage": True}, None, {"storage": True}),
    ],
)
def test_weights_in_the_stacks_storage(weights: Any, store: Store | None, expected: dict[str, Any]):
    """In its claim, by the store that it is."""
    given = dict(weights)
    errors = ErrorList()

    assert _from_storage(weights, store, errors) == expected
    assert weights == given and not errors


def test_weights_in_two_places():
    """Each of the other's keys is told, and not taken."""
    errors = ErrorList()
    both: Any = {"storage": True, "claim": "c", "claim_gb": 7}

    assert _from_storage(both, OURS, errors) == {"storage": True, "claim": "data"}
    assert [error.path for error in errors.found()] == [("claim",), ("claim_gb",)]


OFF: Any = {"enabled": False}


@pytest.mark.parametrize(
    ("choice", "path"),
    [
        ({"injection": {**OFF, "annotation": "a b"}}, "injection.annotation"),
        ({"queues": {**OFF, "ready_minutes": 0}}, "queues.ready_minutes"),
        ({"monitoring": {**OFF, "labels": {"a b": "c"}}}, "monitoring.labels.a b"),
        ({"readiness": {**OFF, "renew": {"every": "x"}}}, "readiness.renew.every"),
        # Behind one without further keys the others are judged.
        ({"injection": OFF, "readiness": {**OFF, "renew": {"every": "x"}}}, "readiness.renew.every"),
        # One that is on is judged as that, once.
        ({"queues": {**ON, "ready_minutes": 0}}, "queues.ready_minutes"),
        # What would be asked of the stack is not: of its pools, its version, its claims, its tests.
        ({"injection": {**OFF, "nemo": True}, "claims": {"pairs": []}}, ""),
        ({"readiness": {**OFF, "leave_existing": True}, "acceptance": {"enabled": False}}, ""),
        ({"queues": {**OFF, "preemption": True}, "claims": {"namespaces": ["kube-system"]}}, ""),
        ({"injection": {**OFF, "annotation": "a"}}, ""),
    ],
)
def test_keys_of_what_is_off(choice: dict[str, Any], path: str):
    """Are judged all the same; the add-on itself is not planned."""
    if path:
        assert [each.partition(": ")[0] for each in refused(GIB, context=CONTEXT, **choice)] == [path]
    else:
        assert made(GIB, context=CONTEXT, **choice) == Addons()


def test_what_is_off_asks_nothing_of_the_stack():
    """Neither a test of the fabric nor a pool that can have a queue, though it has keys of its own."""
    later = replace(GIB, scales_from_zero=True)

    assert made(later, queues={**OFF, "preemption": True}, readiness={**OFF, "evict": False}) == Addons()
    assert refused(later, context=MODERN, queues={**ON, "preemption": True})[0].startswith("queues.enabled: ")


def test_an_old_cluster_without_injection():
    """It refuses what injection would need only where that is on."""
    assert refused(GIB, context=CONTEXT, injection=ON)[0].startswith("injection.engine: native needs")
    assert made(GIB, context=CONTEXT, injection={**OFF, "nemo": True}) == Addons()
