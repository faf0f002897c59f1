"""A cloud with one key of every kind, beside two that have fewer: what `explain`, `schema` and `init` make of keys."""

from enum import Enum
from typing import Any

import pytest
from rdma_cluster.base.reference import Choice, Key
from rdma_cluster.cli import explain, init, schema


class Mode(str, Enum):
    """A choice."""

    OWN = "own"
    GIVEN = "given"


def key(path: str, kind: str, required: bool, meaning: str, **more: Any) -> Key:
    """At the top with our namespace, below as it is called."""
    name = path.rpartition(".")[2]
    return Key(path, name if "." in path else f"rdma-cluster:{name}", kind, required, meaning, **more)


SPOT = key("pools.capacity.spot", "true or false", False, "Whether spot.", hint=bool)
POOL = (
    key("pools.name", "text", True, "Its name."),
    key("pools.nodes", "whole number", False, "How many.", default="1", hint=int),
    key("pools.capacity", "keys", False, "Where from.", keys=(SPOT,)),
)
POOLS = [{"name": "a", "nodes": 2}, {"name": "b", "capacity": {"spot": True}}]
STORAGE = (
    key("storage.bucket", "text", True, "Its name."),
    key("storage.size", "whole number", False, "GiB.", hint=int),
)
MODES = (Choice("own", "New: ``it``."), Choice("given", ""))
WHOLE = (
    key("zone", "text", True, "Where all of it is, as ``us-1``.", example="us-1"),
    Key("project", "gcp:project", "text", False, "Whose it is.", default="``mine``"),
    key("mode", "choice", False, "How it is made.", choices=MODES, hint=Mode),
    key("most", "whole number", False, "The most.", default="``250`` nodes", hint=int),
    key("on", "true or false", False, "Whether.", hint=bool),
    key("off", "true or false", False, "Whether not.", default="false", hint=bool),
    key("version", "text", False, "Which.", default="``1.30``, as it is"),
    key("labels", "mapping", False, "Labels.", example={"b": "x", "a": ["y", 1]}, hint=dict[str, str]),
    key("zones", "list", False, "Zones.", hint=list[str]),
    key("modes", "list", False, "Modes.", hint=dict[str, Mode]),
    key("pools", "list of keys", True, "The pools.", keys=POOL, many=True, example=POOLS),
    key("network", "keys", False, "The network.", keys=(key("network.cidr", "text", False, "Its block."),),
        example={"cidr": "10.0.0.0/8"}),
    key("storage", "keys", False, "Storage.", keys=STORAGE),
)  # fmt: skip
KEYS = {
    "aks": (),
    "eks": (),
    "gce": WHOLE[:3],
    "gke": WHOLE,
    "oke": (key("zone", "text", False, "Elsewhere."), key("spot", "text", False, "Not that of a pool.")),
}


def put_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """These keys are those of the clouds."""
    for module in (explain, init, schema):
        monkeypatch.setattr(module, "keys_of", KEYS.__getitem__)
