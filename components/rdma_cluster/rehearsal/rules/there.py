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


class There:
    """Everything that a cloud holds, by type."""

    def __init__(self, made: Iterable[Made] = (), without: Made | None = None) -> None:
        self._by_type: dict[str, list[Made]] = {}
        self._without = without
        for each in made:
            self._by_type.setdefault(each.type, []).append(each)

    def beside(self, one: Made) -> "There":
        """The same without one of them."""
        view = There(without=one)
        view._by_type = self._by_type
        return view

    def of(self, token: str) -> Sequence[Made]:
        """All of a type."""
        return [each for each in self._by_type.get(token, ()) if each is not self._without]

    def find(self, token: str, called: Any) -> Made | None:
        """The one of a type that an input calls so; ``None`` where it is not among these."""
        name = meant(called)
        return next((each for each in self.of(token) if name in each.called), None)


def meant(value: Any) -> str:
    """Whom an input names: ``TYPE NAME`` for what a preview shows in place of an output, else the value itself."""
    found = _OUTPUT.fullmatch(str(value))
    return found[1] if found else str(value)
