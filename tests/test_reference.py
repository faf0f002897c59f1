"""The reference of a stack file, and the help of a schema, are read from the docstrings below its keys."""

from enum import Enum
from typing import NotRequired

from rdma_cluster.base.args import Hidden, Input, Link, args_schema
from rdma_cluster.base.key_docs import summary
from rdma_cluster.base.reference import stack_keys
from typing_extensions import TypedDict


class Kind(str, Enum):
    """A choice."""

    WIDE_ONE = "wide"
    """Wider
    than ``hole_depth``."""
    NARROW = "narrow"


@args_schema
class Hole(TypedDict):
    """A hole.

    In the ground.
    """

    depth_cm: int
    """How deep. Default: the fence's ``depth_cm``, or 1.5. Example: ``20``."""
    kind: NotRequired[Kind]


@args_schema
class Garden(TypedDict):
    """A garden."""

    is_open: NotRequired[bool]
    """Whether it is. Default: false."""
    garden_name: str
    """Its name,
    unlike ``is_open``. Example: ``rose``."""
    holes: NotRequired[list[Hole]]
    """All of them."""
    secret_key: NotRequired[Hidden]
    """Of the door."""
    labels: NotRequired[dict[str, str]]
    paths: NotRequired[Input[list[Link]]]
    road: NotRequired[Link]


EXAMPLE = {"holes": [{"depthCm": 7, "kind": "wide"}], "road": "r"}


def test_a_key_has_path_spelling_type_meaning_default_and_example():
    keys = {key.path: key for key in stack_keys(Garden, {"garden:name": "garden_name"}, EXAMPLE)}

    assert [(key.path, key.written, key.kind, key.required) for key in keys.values()] == [
        ("isOpen", "rdma-cluster:isOpen", "true or false", False),
        ("gardenName", "garden:name", "text", True),
        ("holes", "rdma-cluster:holes", "list of keys", False),
        ("secretKey", "rdma-cluster:secretKey", "text or keys, secret", False),
        ("labels", "rdma-cluster:labels", "text by key", False),
        ("paths", "rdma-cluster:paths", "list of text", False),
        ("road", "rdma-cluster:road", "text", False),
    ]
    assert (keys["isOpen"].meaning, keys["isOpen"].default) == ("Whether it is.", "false")
    assert (keys["gardenName"].meaning, keys["gardenName"].example) == ("Its name, unlike ``isOpen``.", "rose")
    assert (keys["road"].example, keys["labels"].example) == ("r", None)


def test_keys_below_a_key_have_the_examples_of_the_stack_or_their_own():
    (holes,) = (key for key in stack_keys(Garden, {}, EXAMPLE) if key.path == "holes")
    depth, kind = holes.keys

    assert [each.path for each in holes.walk()] == ["holes", "holes.depthCm", "holes.kind"] and holes.many
    assert (depth.default, depth.example, kind.example) == ("the fence's ``depthCm``, or 1.5", 7, "wide")
    assert [(each.value, each.meaning) for each in kind.choices] == [
        ("wide", "Wider than ``holeDepth``."),
        ("narrow", ""),
    ]
    (empty,) = (key for key in stack_keys(Garden, {}, {"holes": []}) if key.path == "holes")
    assert (empty.keys[0].example, empty.keys[1].example, empty.example) == (20, None, [])


def test_the_help_of_a_schema_has_required_keys_first_and_those_below_a_key():
    assert Garden.__doc__ == "\n".join([
        "A garden.",
        "",
        "garden_name (str)",
        "    Its name,",
        "    unlike ``is_open``. Example: ``rose``.",
        "is_open (bool, optional)",
        "    Whether it is. Default: false.",
        "holes (list[Hole], optional)",
        "    All of them.",
        "    depth_cm (int)",
        "        How deep. Default: the fence's ``depth_cm``, or 1.5. Example: ``20``.",
        "    kind ('wide' | 'narrow', optional)",
        "secret_key (Input[str], optional)",
        "    Of the door.",
        "labels (dict[str, str], optional)",
        "paths (Input[list[Input[str]]], optional)",
        "road (Input[str], optional)",
    ])  # fmt: skip
    assert summary(Hole) == "A hole.\n\nIn the ground."
