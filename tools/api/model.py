"""A request of a cloud's API as its own published model describes it, read alike from every cloud."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Shape:
    """What a value may be."""

    kind: str
    """``string``, ``integer``, ``number``, ``boolean``, ``object``, ``list`` or ``map``; ``any`` is not looked into."""
    name: str = ""
    """The model's own name of it, for messages and quotations."""
    members: Callable[[], dict[str, "Member"]] = dict
    """Of an object, read when asked for: models are deep, and some name themselves."""
    chosen: "Callable[[dict[str, Any]], Shape] | None" = None
    """Which object a value is where one of its own fields says so."""
    item: "Callable[[], Shape] | None" = None
    """Of a list or a map."""
    enum: tuple[str, ...] = ()
    pattern: str = ""
    """The whole text must be of this form."""
    least: float | None = None
    """Least value of a number, least length of a text or list."""
    most: float | None = None


@dataclass(frozen=True)
class Member:
    """One field of an object."""

    shape: Shape
    required: bool = False
    deprecated: bool = False
    read_only: bool = False
    words: str = field(default="", compare=False, repr=False)
    """What the model says of it in prose."""
