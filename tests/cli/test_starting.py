"""How a person begins: a project from nothing, a schema for the editor, what each key means, the page of all keys."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from rdma_cluster.cli.schema import schema_of
from rdma_cluster.clouds import CLOUDS
from rdma_cluster.reference import keys_of

from docs.generate import PAGE, page
from tests.cli.commands import command
from tests.refusals.case import Case, cases
from tests.stacks import ROOT, STACKS, graph_of

SHAPES = re.compile(r": (unknown key|missing; it has no default|must be (a|true|one)|got .*; choose one of)")


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_project_from_nothing(cloud: str, tmp_path: Path):
    """`init` in an empty folder, then `plan` and `preview` there: the program is the one of the clone."""
    code, out, err = command("init", cloud, folder=tmp_path)
    assert (code, err) == (0, "")
    assert all((tmp_path / line.split()[1]).is_file() for line in out.splitlines() if line.startswith("wrote "))

    assert command("plan", cloud, folder=tmp_path) == command("plan", cloud)

    code, out, err = command("preview", cloud, "--json", folder=tmp_path)
    graph = json.loads(out)
    assert (code, err) == (0, "")
    assert sorted(each["urn"].partition("::")[2].partition("::")[2] for each in graph["resources"]) == sorted(
        each.urn.partition("::")[2].partition("::")[2] for each in graph_of(cloud).resources
    )


def test_init_keeps_what_is_there(tmp_path: Path):
    """A file that is there already is named, and nothing is written."""
    (tmp_path / "Pulumi.yaml").write_text("name: mine\n")
    code, _, err = command("init", "gke", folder=tmp_path)

    assert (code, err) == (2, "Pulumi.yaml: is there already; init writes into an empty folder\n")
    assert [path.name for path in tmp_path.iterdir()] == ["Pulumi.yaml"]


def test_init_comments_every_key_it_does_not_set(tmp_path: Path):
    """The file is its own documentation: each key at the top is in it, set or as a comment."""
    for cloud in CLOUDS:
        (tmp_path / cloud).mkdir()
        command("init", cloud, folder=tmp_path / cloud)
        text = (tmp_path / cloud / f"Pulumi.{cloud}.yaml").read_text()

        assert all(f"{key.written}:" in text for key in keys_of(cloud))


def config_of(path: Path) -> dict:
    return yaml.safe_load(path.read_text())


@pytest.mark.parametrize("stack", STACKS)
def test_schema_takes_every_stack(stack: str):
    """Every stack that is shipped fits the schema of its cloud."""
    config = config_of(ROOT / "stacks" / f"Pulumi.{stack}.yaml")
    schema = schema_of(config["config"]["rdma-cluster:cloud"])
    jsonschema.Draft202012Validator.check_schema(schema)

    jsonschema.validate(config, schema)


def files_of_cases() -> list[Case]:
    """The refusal cases that are a stack file which a YAML parser can read."""
    found = []
    for case in cases("stack"):
        try:
            config = yaml.safe_load(case.file or "")
        except (yaml.YAMLError, ValueError, RecursionError):
            continue
        keys = config.get("config") if isinstance(config, dict) else None
        cloud = keys.get("rdma-cluster:cloud") if isinstance(keys, dict) else None
        if cloud in CLOUDS and not case.set:
            found.append(case)
    return found


@pytest.mark.parametrize("case", files_of_cases(), ids=lambda case: case.name)
def test_schema_refuses_what_the_door_refuses(case: Case):
    """A fault of shape is one for an editor, too; a fault of another kind is none."""
    config = yaml.safe_load(case.file or "")
    sound = jsonschema.Draft202012Validator(schema_of(config["config"]["rdma-cluster:cloud"])).is_valid(config)

    assert sound != any(SHAPES.search(line) and "--" not in line for line in case.refused)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"rdma-cluster:zome": "us-west8-c"}, "config"),
        ({"rdma-cluster:zone": ["us-west8-c"]}, "rdma-cluster:zone"),
        ({"rdma-cluster:pools": {}}, "rdma-cluster:pools"),
        ({"rdma-cluster:pools": [{"name": "a"}]}, "0"),
        ({"rdma-cluster:kubernetes": {"endpoint": "open"}}, "endpoint"),
        ({"rdma-cluster:claims": {"pairs": ["one"]}}, "0"),
        ({"rdma-cluster:cloud": "eks"}, "rdma-cluster:cloud"),
    ],
)
def test_schema_says_where(change: dict, where: str):
    """Each kind of fault is found at its place."""
    config = config_of(ROOT / "stacks" / "Pulumi.gke.yaml")
    config["config"] |= change
    errors = list(jsonschema.Draft202012Validator(schema_of("gke")).iter_errors(config))

    assert where in {str(error.path[-1]) for error in errors}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_key_is_documented(cloud: str):
    """No key without a meaning; `explain` finds each by its path."""
    for key in (each for top in keys_of(cloud) for each in top.walk()):
        assert key.meaning, key.path

        code, out, _ = command("explain", key.path)
        assert code == 0
        assert out.startswith(f"{key.path}: ") and key.meaning.replace("``", "") in out.replace("\n  ", " ")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("pools[0].capacity.flexStart", "at most 7 days"),
        ("rdma-cluster:network", "cidr:"),
        ("gcp:project", "gcp:project: my-project"),
        ("maxNodes", "Default: 250."),
        ("network.existing.rails", "network.existing.rails: list of keys, required"),
    ],
)
def test_explain(key: str, expected: str):
    """A key may be written as in `--set`, as in a file, or by its name alone."""
    code, out, _ = command("explain", key)

    assert code == 0
    assert expected in out


def test_page_of_all_keys_is_fresh():
    """docs/configuration.md is what the shapes say; `make docs` renews it."""
    assert PAGE.read_text(encoding="utf-8") == page()
