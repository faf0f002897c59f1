"""A cloud with one key of every kind, beside two with fewer: what `explain`, `schema` and `init` make of keys."""

from enum import Enum
from typing import Any

import pytest
from rdma_cluster.base.reference import Choice, Key
from rdma_cluster.cli import explain, init, schema


class Mode(str, Enum):
    """A choice of two."""

    OWN = "own"
    GIVEN = "given"


def key(path: str, kind: str, required: bool, meaning: str, **more: Any) -> Key:
    """A key, which at the top is written with our namespace."""
    name = path.rpartition(".")[2]
    return Key(path, name if "." in path else f"rdma-cluster:{name}", kind, required, meaning, **more)


SPOT = key("pools.capacity.spot", "true or false", False, "Whether spot.", hint=bool)
POOL = (
    key("pools.name", "text", True, "Its name."),
    key("pools.nodes", "whole number", False, "How many.", default="1", hint=int),
    key("pools.capacity", "keys", False, "Where from.", keys=(SPOT,)),
)
POOLS = [{"name": "a", "nodes": 2}, {"name": "b", "capacity": {"spot": True}}]
CIDR = key("network.cidr", "text", False, "Its block.")
MODES = (Choice("own", "New: ``it``."), Choice("given", ""))
WHOLE = (
    key("zone", "text", True, "Where all of it is, as ``us-1``.", example="us-1"),
    Key("project", "gcp:project", "text", False, "Whose it is.", default="``mine``"),
    key("mode", "choice", False, "How it is made.", choices=MODES, hint=Mode),
    key("most", "whole number", False, "The most.", default="``250`` nodes", hint=int),
    key("on", "true or false", False, "Whether.", hint=bool),
    key("version", "text", False, "Which.", default="``1.30``, as it is"),
    key("labels", "mapping", False, "Labels.", example={"b": "x", "a": ["y", 1]}, hint=dict[str, str]),
    key("zones", "list", False, "Zones.", hint=list[str]),
    key("pools", "list of keys", True, "The pools.", keys=POOL, many=True, example=POOLS),
    key("network", "keys", False, "The network.", keys=(CIDR,), example={"cidr": "10.0.0.0/8"}),
)
KEYS = {
    "aks": (),
    "eks": (),
    "gce": WHOLE[:3],
    "gke": WHOLE,
    "oke": (key("zone", "text", False, "Elsewhere."), key("spot", "text", False, "Not that of a pool.")),
}


def put_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts these keys in the place of the clouds' own."""
    for module in (explain, init, schema):
        monkeypatch.setattr(module, "keys_of", KEYS.__getitem__)
