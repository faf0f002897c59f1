"""`rdma-cluster schema`: what an editor takes and refuses of a stack file."""

import json
import re
from collections.abc import Sequence
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema.protocols
import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.base.args import Hidden
from rdma_cluster.base.config import value
from rdma_cluster.base.reference import Key
from rdma_cluster.cli.schema import schema_of
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.common import CLOUDS
from docs.generate import PAGE, page
from tests.cli import small_cloud
from tests.cli.commands import command
from tests.clouds import CloudTests, clouds
from tests.refusals.case import cases
from tests.stacks import ROOT

SHAPES = re.compile(
    r"^(?!(rdma_cluster|gcp):.*unknown key).*: "
    r"(unknown key|missing; it has no default|must be (a|true|one)|got .*; choose one of (?!\d|these))"
)
"""A schema has the words to choose from; numbers and versions are the plan's, other namespaces their owners'."""


def test_a_key_has_its_meaning_its_type_and_its_examples(monkeypatch: pytest.MonkeyPatch):
    """A value that need not be there may be null, and a switch at the top may be the text that Pulumi writes."""
    small_cloud.put_there(monkeypatch)
    schema = schema_of("gke")
    config = schema["properties"]["config"]
    keys = {name.partition(":")[2]: each for name, each in config["properties"].items()}

    assert config["required"] == ["rdma-cluster:cloud", "rdma-cluster:zone", "rdma-cluster:pools"]
    assert keys["zone"] == {"description": "Where all of it is, as `us-1`.", "examples": ["us-1"], "type": "string"}
    assert keys["mode"] == {"description": "How it is made. `own`: New: `it`.", "enum": ["own", "given", None]}
    assert keys["most"] == {"description": "The most. Default: `250` nodes.", "type": ["integer", "null"]}
    assert keys["on"] == {"description": "Whether.", "enum": [True, False, "true", "false", None]}
    assert keys["labels"]["additionalProperties"] == {"type": ["string", "null"]}
    assert keys["zones"]["items"] == {"type": "string"} and keys["zones"]["type"] == ["array", "null"]
    pool = keys["pools"]["items"]
    assert (pool["required"], pool["additionalProperties"], pool["properties"].keys()) == (
        ["name"], False, {"name", "nodes", "capacity"},
    )  # fmt: skip
    assert pool["properties"]["capacity"]["properties"]["spot"]["type"] == ["boolean", "null"]
    assert json.loads(command("schema", "gke")[1]) == schema


def test_a_secret_may_be_encrypted(monkeypatch: pytest.MonkeyPatch):
    secret = Key("token", "rdma-cluster:token", "text", True, "It.", hint=Hidden)
    monkeypatch.setattr("rdma_cluster.cli.schema.keys_of", lambda cloud: (secret,))

    keys = schema_of("gke")["properties"]["config"]["properties"]
    assert keys["rdma-cluster:token"]["type"] == ["string", "object"]


def config_of(stack: str, overrides: Sequence[str] = (), file: Path | None = None) -> dict[str, Any]:
    """A stack file with values of `--set` laid over it, as an editor reads it."""
    with chdir(ROOT):
        _, settings = read_stack(stack, file, overrides)
    return {"config": {key: value(text) for key, text in settings.config.items()}}


@cache
def validator(cloud: str) -> jsonschema.protocols.Validator:
    """What an editor refuses."""
    schema = schema_of(cloud)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.variant
@pytest.mark.parametrize("cloud", clouds(), ids=lambda cloud: cloud.name)
def test_every_stack_and_every_variant_of_it_is_taken(cloud: CloudTests):
    wrong = {
        name: [error.json_path for error in errors]
        for name, (stack, *overrides) in cloud.graphs.items()
        if (errors := list(validator(cloud.name).iter_errors(config_of(stack, overrides))))
    }
    assert wrong == {}


@pytest.mark.variant
def test_an_error_of_shape_is_refused_by_the_schema_and_by_the_plan(tmp_path: Path):
    """An error of another kind is the plan's alone."""
    by_schema, by_plan, tried = set(), set(), 0
    for case in cases("stack"):
        case.stack_options(tmp_path)
        file = tmp_path / f"Pulumi.{case.stack}.yaml" if case.file is not None else None
        try:
            config = config_of(case.stack, case.set, file)
        except (Refused, OSError):
            continue  # it cannot be read
        if (cloud := config["config"].get("rdma-cluster:cloud")) not in CLOUDS:
            continue
        tried += 1
        if not validator(cloud).is_valid(config):
            by_schema.add(case.name)
        if any(SHAPES.search(line) and "--" not in line for line in case.refused):
            by_plan.add(case.name)

    assert tried > 400
    assert by_schema == by_plan


@pytest.mark.golden
@pytest.mark.variant
def test_the_page_of_all_keys_is_fresh():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"
