"""The JSON Schema of a small cloud, key by key."""

import json
from typing import Any

import pytest
from rdma_cluster.base.args import Hidden
from rdma_cluster.base.reference import Key
from rdma_cluster.cli.schema import schema_of
from tests.cli import small_cloud
from tests.cli.commands import command

TEXT, MAYBE_TEXT, MAYBE = {"type": "string"}, {"type": ["string", "null"]}, {"type": ["object", "null"]}
SWITCH = {"enum": [True, False, "true", "false", None]}


def keys(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """Nothing but these."""
    return {"properties": properties, "required": list(required), "additionalProperties": False}


POOL = {
    "name": {"description": "Its name.", **TEXT},
    "nodes": {"description": "How many. Default: 1.", "type": ["integer", "null"]},
    "capacity": {
        "description": "Where from.",
        **MAYBE,
        **keys({"spot": {"description": "Whether spot.", "type": ["boolean", "null"]}}),
    },
}
CONFIG: dict[str, Any] = {
    "rdma-cluster:cloud": {"const": "gke", "description": "The stack program to run."},
    "rdma-cluster:zone": {"description": "Where all of it is, as `us-1`.", "examples": ["us-1"], **TEXT},
    "gcp:project": {"description": "Whose it is. Default: `mine`.", **MAYBE_TEXT},
    "rdma-cluster:mode": {"description": "How it is made. `own`: New: `it`.", "enum": ["own", "given", None]},
    "rdma-cluster:most": {"description": "The most. Default: `250` nodes.", "type": ["integer", "null"]},
    "rdma-cluster:on": {"description": "Whether.", **SWITCH},
    "rdma-cluster:off": {"description": "Whether not. Default: false.", **SWITCH},
    "rdma-cluster:version": {"description": "Which. Default: `1.30`, as it is.", **MAYBE_TEXT},
    "rdma-cluster:labels": {
        "description": "Labels.",
        "examples": [{"b": "x", "a": ["y", 1]}],
        **MAYBE,
        "additionalProperties": MAYBE_TEXT,
    },
    "rdma-cluster:zones": {"description": "Zones.", "type": ["array", "null"], "items": TEXT},
    "rdma-cluster:modes": {"description": "Modes.", **MAYBE, "additionalProperties": {"enum": ["own", "given", None]}},
    "rdma-cluster:pools": {
        "description": "The pools.",
        "type": "array",
        "items": {"type": "object", **keys(POOL, "name")},
    },
    "rdma-cluster:network": {
        "description": "The network.",
        **MAYBE,
        **keys({"cidr": {"description": "Its block.", **MAYBE_TEXT}}),
    },
    "rdma-cluster:storage": {
        "description": "Storage.",
        **MAYBE,
        **keys(
            {
                "bucket": {"description": "Its name.", **TEXT},
                "size": {"description": "GiB.", "type": ["integer", "null"]},
            },
            "bucket",
        ),
    },
}


def test_the_schema_of_a_cloud(monkeypatch: pytest.MonkeyPatch):
    """Each key with its meaning and its type; what need not be there may be null; of ours no other key is taken."""
    small_cloud.put_there(monkeypatch)
    names = "|".join(key.partition(":")[2] if key.startswith("rdma") else key for key in CONFIG)

    assert schema_of("gke") == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A stack of rdma-cluster on gke",
        "type": "object",
        "properties": {
            "config": {
                "type": "object",
                "properties": CONFIG,
                "required": ["rdma-cluster:cloud", "rdma-cluster:zone", "rdma-cluster:pools"],
                "additionalProperties": True,
                "patternProperties": {f"^rdma-cluster:(?!({names})$)": False},
            }
        },
        "required": ["config"],
    }


def test_a_secret_may_be_encrypted(monkeypatch: pytest.MonkeyPatch):
    """A text, what the engine makes of it, or what becomes JSON."""
    secret = Key("token", "rdma-cluster:token", "text", True, "It.", hint=Hidden)
    monkeypatch.setattr("rdma_cluster.cli.schema.keys_of", lambda cloud: (secret,))

    properties = schema_of("gke")["properties"]["config"]["properties"]
    assert properties["rdma-cluster:token"] == {"description": "It.", "type": ["string", "object"]}


def test_the_command_prints_it(monkeypatch: pytest.MonkeyPatch):
    """As JSON alone, for a file beside the stack's."""
    small_cloud.put_there(monkeypatch)
    code, out, err = command("schema", "gce")

    assert (code, json.loads(out), err) == (0, schema_of("gce"), "")
