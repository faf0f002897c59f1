"""One difference between a plan and a cluster, and what all of them together say."""

from typing import Any

from ..catalog.machine import Known
from ..frozen import frozen
from .consequence import CONSEQUENCES


@frozen
class Difference:
    """What a plan promises and a cluster shows otherwise."""

    kind: str
    """A key of ``CONSEQUENCES``."""
    where: tuple[int, ...]
    """Empty for the cluster; a pool of the stack; a pool and a node of the snapshot."""
    what: str
    """The thing that differs. Example: ``rail 3``."""
    expected: str
    found: str
    follows: str
    remedy: str
    breaks: bool
    """Whether a promise is broken."""
    known: Known | None = None
    """How the promised figure is known, where it is one of the catalogue."""

    def to_dict(self) -> dict[str, Any]:
        """The difference's JSON form: an interface."""
        known = None if self.known is None else self.known.value
        place = {"pool": None, "node": None} | dict(zip(("pool", "node"), self.where, strict=False))
        told = {"kind": self.kind, **place, "what": self.what, "expected": self.expected, "found": self.found}
        return {**told, "consequence": self.follows, "remedy": self.remedy, "breaks": self.breaks, "known": known}


def difference(
    kind: str, where: tuple[int, ...], what: str, expected: object, found: object, **words: Any
) -> Difference:
    """A difference of a kind; ``words`` stand in its consequence, but for ``known``."""
    rule = CONSEQUENCES[kind]
    known = words.pop("known", None)
    follows, remedy = rule.follows.format(**words), rule.remedy.format(**words)
    return Difference(kind, where, what, str(expected), str(found), follows, remedy, rule.breaks, known)
