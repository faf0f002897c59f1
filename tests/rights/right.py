"""A right that a graph gives, and the list of reasons that every right must be in."""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pulumi_offline import Graph
from tests import quick_yaml


class Right(NamedTuple):
    """What somebody may do, in words that are the same in every graph."""

    who: str
    may: str
    where: str


class Reason(NamedTuple):
    """Why a right is given: its three parts, in which ``*`` stands for any text, such as a user's own name."""

    who: str
    may: str
    where: str
    because: str

    def is_of(self, right: Right) -> bool:
        """Whether it is this right's reason."""
        return all(
            fnmatchcase(_escaped(part), _escaped(pattern)) for part, pattern in zip(right, self[:3], strict=True)
        )


@cache
def reasons(file: Path) -> tuple[Reason, ...]:
    """The list in a file: by who it is, rights with ``may``, ``where`` and ``because``.

    YAML takes ``on`` for true.
    """
    listed: Mapping[str, list[dict[str, str]]] = quick_yaml.load(file.read_text())
    # A text with a comma in braces and without quotes would be keys: an unknown one is an error.
    return tuple(Reason(who, **each) for who, some in listed.items() for each in some)


def without_reason(rights: Iterable[Right], listed: Iterable[Reason]) -> Iterator[Right]:
    """The rights for which there is none."""
    known = tuple(listed)
    for right in dict.fromkeys(rights):
        if not any(reason.is_of(right) for reason in known):
            yield right


def without_right(listed: Iterable[Reason], rights: Iterable[Right]) -> Iterator[Reason]:
    """The reasons that no graph needs any more."""
    given = set(rights)
    for reason in listed:
        if not any(reason.is_of(right) for right in given):
            yield reason


def plain(graph: Graph, text: Any) -> str:
    """A text without the stack's name, and outputs by their resource's: ``[id of a:b:C gke-nodes]`` is ``nodes``."""
    named = re.sub(r"\[\w+ of \S+ ([^]]+)\]", r"\1", str(text))
    stack = re.escape(graph.stack)
    return re.sub(rf"\b{stack}\b(?!-)", "cluster", re.sub(rf"\b{stack}-(?=\w)", "", named))


def _escaped(text: str) -> str:
    """Brackets as letters like any other: they stand in names of actions."""
    return text.translate({ord("["): "(", ord("]"): ")"})
