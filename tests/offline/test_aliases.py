"""A renamed or moved whole stays what it was: no child comes, goes, or is made anew."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi_offline import Graph, diff, preview
from pulumi_offline.aliases import as_known
from pulumi_offline.replacements import refusals, replacements
from pulumi_offline.stack_export import read_before
from tests.cli.commands import command
from tests.clouds import CloudTests, clouds

KEPT_NAME = {"name": "old"}
"""A cluster's name, which no cloud changes: who renames a whole writes the old one down as ``kubernetes.name``."""
RIGHTS = "oci:Identity/policy:Policy"
"""Named after the whole in OCI, where a name cannot change: new ones come before the old ones go."""
TEAM = "my:index:Team"
EACH = [
    pytest.param(each, id=each.name, marks=pytest.mark.variant if each.name != "gke" else ())
    for each in clouds()
    if each.has_kubernetes
]


def whole(each: CloudTests) -> str:
    """The component of everything."""
    return next(name for name in each.components if name.endswith("RdmaCluster"))


def made(each: CloudTests, name: str, moved: bool = False, **options: Any) -> Graph:
    """A program of one whole, at the root or below a component of the user's own."""
    cls: Any = getattr(import_module(f"rdma_cluster.{each.name}"), whole(each))
    args = each.components[whole(each)]
    args = {**args, "kubernetes": {**args.get("kubernetes", {}), **KEPT_NAME}}

    def program() -> None:
        parent = pulumi.ComponentResource(TEAM, "team") if moved else None
        cls(name, args, pulumi.ResourceOptions(parent=parent, **options))

    return preview(program)


@pytest.mark.parametrize("each", EACH)
def test_a_renamed_whole_replaces_nothing(each: CloudTests):
    """Its children are named after it, and are known by its alias; no fixed input follows its name."""
    after = made(each, "new", aliases=[pulumi.Alias(name="old")])
    before = as_known(made(each, "old"), after)
    changes = diff(before, after)

    assert [one.urn for one in (*changes.added, *changes.removed)] == []
    anew = replacements(before, after)
    assert [urn for urn in anew if f"${RIGHTS}::" not in urn] == []
    assert refusals(before, after, anew) == []


def test_a_moved_whole_changes_nothing_else():
    """A whole that moves below a component of the user's own keeps all that it made."""
    each = next(each for each in clouds() if each.name == "eks")
    after = made(each, "old", moved=True, aliases=[pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE)])
    before = as_known(made(each, "old"), after)
    changes = diff(before, after)

    assert [one.type for one in changes.added] == [TEAM] and not changes.removed
    assert {change.path for of in changes.changed.values() for change in of} == {"parent", "options.aliases"}
    assert replacements(before, after) == {}


def test_files_of_graphs_and_states_know_renamed_resources(tmp_path: Path):
    """`graph diff`, `drift` and `plan --since` read such files."""
    each = next(each for each in clouds() if each.name == "eks")
    after, old = made(each, "new", aliases=[pulumi.Alias(name="old")]), made(each, "old")
    (tmp_path / "old.json").write_text(old.to_json())
    (tmp_path / "new.json").write_text(after.to_json())
    state = [{**one.to_dict(), "provider": f"{one.provider}::id" if one.provider else ""} for one in old.resources]
    (tmp_path / "state.json").write_text(json.dumps({"deployment": {"resources": state}}))

    told = json.loads(command("graph", "diff", str(tmp_path / "old.json"), str(tmp_path / "new.json"), "--json")[1])
    assert (told["added"], told["removed"], told["replaced"]) == ([], [], {})
    for file in ("old.json", "state.json"):
        before = read_before(tmp_path / file, after)
        changes = diff(before, after)
        assert not changes.added and not changes.removed and replacements(before, after) == {}, file
