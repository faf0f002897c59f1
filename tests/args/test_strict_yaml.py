"""Keys that are merged into others, and stacks by their files."""

from pathlib import Path

import pytest
from rdma_cluster.cli.stack_file import stacks
from rdma_cluster.errors import Refused
from rdma_cluster.strict_yaml import read

BOTH = "one: &one {x: 1, y: 1}\ntwo: &two {y: 2, z: 2}\n"


@pytest.mark.parametrize(
    ("text", "merged"),
    [
        ("{<<: *one}", {"x": 1, "y": 1}),
        ("{<<: [*one, *two]}", {"x": 1, "y": 1, "z": 2}),
        ("{<<: [*two, *one]}", {"x": 1, "y": 2, "z": 2}),
        ("{<<: *one, x: 0}", {"x": 0, "y": 1}),
        ("{x: 0, <<: *one}", {"x": 0, "y": 1}),
        ("{<<: *one, w: 5}", {"x": 1, "y": 1, "w": 5}),
    ],
)
def test_own_keys_come_first_and_then_the_first_of_a_list(text: str, merged: dict[str, int]):
    """As YAML 1.1 has it (yaml.org/type/merge.html)."""
    assert read(f"{BOTH}all: {text}\n", "a.yaml")["all"] == merged


@pytest.mark.parametrize("text", ["{<<: 1}", "{<<: [1]}", "{<<: [1, 2]}", "{<<: [*one, 1, 2], x: 1}"])
def test_what_is_no_set_of_keys_is_told_once(text: str):
    """Of a list the first that is none."""
    with pytest.raises(Refused) as refused:
        read(f"{BOTH}all: {text}\n", "a.yaml")

    assert len(refused.value.errors) == 1
    assert "<< takes a set of keys" in str(refused.value)


def test_stacks_are_told_by_name(tmp_path: Path):
    """In whatever order the folder has them."""
    (tmp_path / "Pulumi.yaml").write_text("name: a\nruntime: python\n")
    names = [f"{letter}{i}" for i in range(5) for letter in "qbxamz"]
    for name in names:
        (tmp_path / f"Pulumi.{name}.yaml").write_text("config: {}\n")

    assert stacks(tmp_path) == sorted(names)
