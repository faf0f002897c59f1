"""What a cloud holds already, for rules that are about several resources."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_OUTPUT = re.compile(r"\[\w+ of ([^]]+)\]")


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A resource that a cloud holds."""

    type: str
    inputs: Mapping[str, Any]
    called: frozenset[str] = frozenset()
    """By what others call it in their inputs: its name, id, link or ARN; ``TYPE NAME`` in a graph of a preview."""
    provider: str = ""
    """Of which account, region or cluster it is: of two providers nothing meets."""


class There:
    """Everything that a cloud holds, by type."""

    def __init__(self, made: Iterable[Made] = ()) -> None:
        self._by_type: dict[str, list[Made]] = {}
        self._one: Made | None = None
        for each in made:
            self._by_type.setdefault(each.type, []).append(each)

    def beside(self, one: Made) -> "There":
        """The others of its provider."""
        view = There()
        view._by_type, view._one = self._by_type, one
        return view

    def of(self, token: str) -> Sequence[Made]:
        """All of a type."""
        found = self._by_type.get(token, ())
        if (one := self._one) is None:
            return found
        return [each for each in found if each is not one and each.provider == one.provider]

    def find(self, token: str, called: Any) -> Made | None:
        """The one of a type that an input calls so; ``None`` where it is not among these."""
        name = meant(called)
        return next((each for each in self.of(token) if name in each.called), None)


def meant(value: Any) -> str:
    """Whom an input names: ``TYPE NAME`` for what a preview shows in place of an output, else the value itself."""
    found = _OUTPUT.fullmatch(str(value))
    return found[1] if found else str(value)
