"""What may stand in a stack file, and the help of a schema: read from the docstrings below its keys."""

from enum import Enum
from typing import Any, NotRequired

from rdma_cluster.base.args import Hidden, Input, Link, args_schema
from rdma_cluster.base.key_docs import key_docs, summary, with_keys
from rdma_cluster.base.reference import Choice, Key, stack_keys
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
    first_hole: NotRequired[Hole]
    secret_key: NotRequired[Hidden]
    """Of the door."""
    labels: NotRequired[dict[str, str]]
    paths: NotRequired[Input[list[Link]]]
    road: NotRequired[Link]
    width_cm: NotRequired[int]
    """Default: 5."""


def below(path: str, depth: Any = 20, kind: Any = None) -> tuple[Key, ...]:
    """The keys of a hole."""
    choices = (Choice("wide", "Wider than ``holeDepth``."), Choice("narrow", ""))
    default = "the fence's ``depthCm``, or 1.5"
    return (
        Key(f"{path}.depthCm", "depthCm", "whole number", True, "How deep.", default, depth, hint=int),
        Key(f"{path}.kind", "kind", "choice", False, "A choice.", None, kind, choices, hint=Kind),
    )


FOREIGN, EXAMPLE = {"garden:name": "garden_name"}, {"holes": [{"depthCm": 7, "kind": "wide"}], "road": "r"}


def test_the_keys_of_a_stack():
    """Path, spelling, type, meaning, default and example of each, with what stands below it."""
    keys = {key.path: key for key in stack_keys(Garden, FOREIGN, EXAMPLE)}

    assert list(keys) == [
        "isOpen",
        "gardenName",
        "holes",
        "firstHole",
        "secretKey",
        "labels",
        "paths",
        "road",
        "widthCm",
    ]
    assert keys["isOpen"] == Key(
        "isOpen", "rdma-cluster:isOpen", "true or false", False, "Whether it is.", "false", hint=bool
    )
    assert keys["widthCm"] == Key("widthCm", "rdma-cluster:widthCm", "whole number", False, "", "5", hint=int)
    assert keys["gardenName"] == Key(
        "gardenName", "garden:name", "text", True, "Its name, unlike ``isOpen``.", None, "rose", hint=str
    )
    assert keys["holes"] == Key(
        "holes", "rdma-cluster:holes", "list of keys", False, "All of them.", None, EXAMPLE["holes"],
        keys=below("holes", 7, "wide"), many=True, hint=list[Hole],
    )  # fmt: skip
    assert keys["firstHole"] == Key(
        "firstHole", "rdma-cluster:firstHole", "keys", False, "A hole.", keys=below("firstHole"), hint=Hole
    )
    assert keys["secretKey"] == Key(
        "secretKey", "rdma-cluster:secretKey", "text or keys, secret", False, "Of the door.", hint=Hidden
    )
    assert [(keys[each].kind, keys[each].example) for each in ("labels", "paths", "road")] == [
        ("text by key", None),
        ("list of text", None),
        ("text", "r"),
    ]
    assert [each.path for each in keys["holes"].walk()] == ["holes", "holes.depthCm", "holes.kind"]


def test_a_list_without_an_example():
    """Its items have those of their own keys."""
    (holes,) = (key for key in stack_keys(Garden, {}, {"holes": []}) if key.path == "holes")

    assert holes.keys == below("holes") and holes.example == []


def test_docstrings_below_keys():
    """Of a schema and of a choice; a key without one has none."""
    assert key_docs(Kind) == {"WIDE_ONE": "Wider\nthan ``hole_depth``."}
    assert key_docs(Garden).keys() == {"is_open", "garden_name", "holes", "secret_key", "width_cm"}
    assert key_docs(Garden)["garden_name"] == "Its name,\nunlike ``is_open``. Example: ``rose``."
    assert (summary(Hole), summary(Kind)) == ("A hole.\n\nIn the ground.", "A choice.")


def test_the_help_of_a_schema():
    """Required keys first, each with its type; below a key that holds keys, those."""
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
        "first_hole (Hole, optional)",
        "    depth_cm (int)",
        "        How deep. Default: the fence's ``depth_cm``, or 1.5. Example: ``20``.",
        "    kind ('wide' | 'narrow', optional)",
        "secret_key (Input[str], optional)",
        "    Of the door.",
        "labels (dict[str, str], optional)",
        "paths (Input[list[Input[str]]], optional)",
        "road (Input[str], optional)",
        "width_cm (int, optional)",
        "    Default: 5.",
    ])  # fmt: skip


class Planted:
    """A component."""

    def __init__(self, name: str, args: Hole) -> None:
        """Plants it."""
        self.name = name


def test_the_help_of_a_component():
    """Its own words, its args, its outputs, and what its constructor says; it is made as ever."""
    planted: Any = with_keys(Planted)

    assert planted is Planted and planted("a", {}).name == "a"
    own, _, outputs = planted.__doc__.partition("\n\nOutputs:")
    assert own.startswith("A component.\n\ndepth_cm (int)\n    How deep.") and outputs == ""
    assert planted.__init__.__doc__ == f"{planted.__doc__}\n\nPlants it."
    assert summary(planted) == "A component."


def test_keys_that_a_schema_inherits():
    """Their docstrings stand in another file; its own come first where both have one."""
    from rdma_cluster.gke.plan.rdma_cluster import GkeRdmaClusterArgs

    docs = key_docs(GkeRdmaClusterArgs)

    assert "zone" in docs and set(docs) == set(GkeRdmaClusterArgs.__annotations__)
