"""How a person begins: a project from nothing, a schema for the editor, what each key means, the page of all keys."""

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
from rdma_cluster import __version__
from rdma_cluster.base.config import value
from rdma_cluster.cli.schema import schema_of
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.common import CLOUDS
from rdma_cluster.common.stack import keys_of
from docs.generate import PAGE, page
from tests.cli.commands import command
from tests.clouds import CloudTests, clouds
from tests.refusals.case import cases
from tests.stacks import ROOT, graph_of

pytestmark = pytest.mark.variant

SHAPES = re.compile(
    r"^(?!(rdma_cluster|gcp):.*unknown key).*: "
    r"(unknown key|missing; it has no default|must be (a|true|one)|got .*; choose one of (?!\d|these))"
)
"""A schema has the words to choose from; numbers and versions are the plan's, other namespaces their owners'."""


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


@pytest.mark.parametrize(
    ("origin", "requirement"),
    [
        ({"url": "file:///home/me/a%20clone", "dir_info": {}}, "/home/me/a clone[gke]"),
        (
            {"url": "https://example.org/r.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "rdma-cluster[gke] @ git+https://example.org/r.git@abc",
        ),
        (
            {"url": "https://example.org/rdma_cluster-0.1.0-py3-none-any.whl", "archive_info": {}},
            "rdma-cluster[gke] @ https://example.org/rdma_cluster-0.1.0-py3-none-any.whl",
        ),
        (None, f"rdma-cluster[gke]=={__version__}"),
    ],
    ids=str,
)
def test_init_requires_what_runs_it(
    origin: dict[str, Any] | None, requirement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """`pulumi up` installs the same package from the same place, so no line is to be replaced (PEP 610)."""

    class Installed:
        def read_text(self, name: str) -> str | None:
            return json.dumps(origin) if origin and name == "direct_url.json" else None

    monkeypatch.setattr("rdma_cluster.cli.init._CLONE", tmp_path)
    monkeypatch.setattr("rdma_cluster.cli.init.distribution", lambda name: Installed())
    command("init", "gke", folder=tmp_path)

    assert (tmp_path / "requirements.txt").read_text() == f"{requirement}\n"
    assert ".venv/" in (tmp_path / ".gitignore").read_text().splitlines()


def test_init_in_a_clone_requires_the_clone(tmp_path: Path):
    """As it is, with what is changed in it."""
    command("init", "gke", folder=tmp_path)

    assert (tmp_path / "requirements.txt").read_text() == f"-e {ROOT}[gke]\n"


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
    assert "# maxRunHours: 168\n" in (tmp_path / "gke" / "Pulumi.gke.yaml").read_text()


def config_of(stack: str, overrides: Sequence[str] = (), file: Path | None = None) -> dict[str, Any]:
    """What a stack file holds, with values of `--set` laid over it, as an editor reads it."""
    with chdir(ROOT):
        _, settings = read_stack(stack, file, overrides)
    return {"config": {key: value(text) for key, text in settings.config.items()}}


@cache
def validator(cloud: str) -> jsonschema.protocols.Validator:
    """What an editor refuses."""
    schema = schema_of(cloud)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("cloud", clouds(), ids=lambda cloud: cloud.name)
def test_schema_takes_what_can_be_built(cloud: CloudTests):
    """Every stack that is shipped and every variant of it."""
    wrong = {
        name: [error.json_path for error in errors]
        for name, (stack, *overrides) in cloud.graphs.items()
        if (errors := list(validator(cloud.name).iter_errors(config_of(stack, overrides))))
    }
    assert wrong == {}


def test_schema_refuses_what_the_door_refuses(tmp_path: Path):
    """An error of shape is one for an editor, too; an error of another kind is none."""
    by_schema, by_door, tried = set(), set(), 0
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
            by_door.add(case.name)

    assert tried > 400
    assert by_schema == by_door


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
    """Each kind of error is found at its place."""
    config = config_of("gke")
    config["config"] |= change
    errors = list(validator("gke").iter_errors(config))

    assert where in {str(error.path[-1]) for error in errors}


@pytest.mark.parametrize(
    "change",
    [
        {"rdma-cluster:storage": None},
        {"rdma-cluster:storage": {"objectStore": {"bucket": None}, "lustre": None}},
        {"rdma-cluster:network": {"mode": None}},
        {"rdma-cluster:registries": {"quay.io": None}},
        {"rdma-cluster:skypilot": "false"},
    ],
)
def test_schema_takes_what_the_door_takes(change: dict, tmp_path: Path):
    """A key without a value is not written; a switch at the top may be the text that `pulumi config set` writes."""
    config = config_of("gke")
    config["config"] |= change
    file = tmp_path / "Pulumi.gke.yaml"
    file.write_text(json.dumps(config))

    assert command("plan", "gke", "--config", str(file))[0] == 0
    assert validator("gke").is_valid(config)


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
        ("rdma-cluster:cloud", "cloud: choice, required"),
    ],
)
def test_explain(key: str, expected: str):
    """A key may be written as in `--set`, as in a file, or by its name alone."""
    code, out, _ = command("explain", key)

    assert code == 0
    assert expected in out


@pytest.mark.golden
def test_page_of_all_keys_is_fresh():
    """docs/configuration.md is what the shapes say; `make docs` renews it."""
    assert PAGE.read_text(encoding="utf-8") == page()
