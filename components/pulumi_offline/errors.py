"""Errors of an input: where each stands, why, and what to do about it; all of them together."""

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from itertools import islice

from .frozen import frozen
from .visible import visible

Path = tuple[str | int, ...]
"""Keys and indices from the outermost in: ``("pools", 0, "nodes")``."""


@frozen
class InputError:
    """One thing that is wrong, where it stands, and what to do about it."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return masked(visible(f"{spell(self.path)}: {self.reason}" if self.path else self.reason))


RULES_FOLLOW = "everything else is checked once these are corrected"
"""The last line under errors of form."""


class Refused(ValueError):
    """The input cannot work; ``errors`` holds every reason, none has a resource behind it.

    ``rules_follow`` marks errors of form: rules are judged once the input has its form.
    """

    def __init__(self, errors: list[InputError], *, rules_follow: bool = False):
        self.errors = errors
        self.rules_follow = rules_follow
        self.lines = [*map(str, errors), *([RULES_FOLLOW] if rules_follow else [])]
        super().__init__("\n".join(self.lines))


def refusal(reason: str, *path: str | int) -> Refused:
    """The input cannot work for one reason."""
    return Refused([InputError(path, reason)])


class ErrorList:
    """Collects errors below one path; ``at`` gives a view of a deeper one."""

    def __init__(self, path: Path = (), found: dict[InputError, None] | None = None):
        self._path = path
        self._found: dict[InputError, None] = {} if found is None else found
        """In the order of their discovery; a dict, since a file of a megabyte can hold 100,000 errors."""

    def at(self, *path: str | int) -> "ErrorList":
        return ErrorList(self._path + path, self._found)

    def add(self, reason: str) -> None:
        self._found.setdefault(InputError(self._path, masked(reason)))

    def __bool__(self) -> bool:
        """Whether there is an error at or below this path."""
        return any(error.path[: len(self._path)] == self._path for error in self._found)

    @property
    def many(self) -> bool:
        """Whether there are so many, wherever they stand, that nobody reads a suggestion for each."""
        return len(self._found) > _MOST_SUGGESTIONS

    def found(self) -> list[InputError]:
        """Every error in the order of its discovery, wherever it stands."""
        return list(self._found)

    def refuse(self) -> None:
        """Raise ``Refused`` with every error, where there is one."""
        if self._found:
            raise Refused(self.found())


_TOKEN = re.compile(
    r"\b(hf_|gh[opsur]_|github_pat_|glpat-|xox[abprs]-|nvapi-|sk-|AIza|AKIA|ASIA|dop_v1_|eyJ[\w-]{1,1024}\.)[\w.~+/=-]{8,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*",
    re.ASCII | re.DOTALL,
)
"""Secrets by the beginnings that their makers gave them so that they are found: Hugging Face, GitHub, GitLab, Slack,
NVIDIA, OpenAI, Google, AWS, DigitalOcean, JSON web tokens; and private keys."""


def masked(text: str) -> str:
    """``text`` without what looks like a secret: where it was put by mistake it must not reach a log."""
    return _TOKEN.sub("(a secret, not shown)", text)


def spell(path: Path) -> str:
    """``("pools", 0, "nodes")`` as ``pools[0].nodes``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def show(value: object, depth: int = 0) -> str:
    """A value in YAML's words, on one short line whatever it is."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum):
        return show(value.value)
    if isinstance(value, Mapping):
        return _cut(f"{{{_list((f'{key}: {show(of, depth + 1)}' for key, of in value.items()), depth)}}}")
    if isinstance(value, list | tuple):
        return _cut(f"[{_list((show(of, depth + 1) for of in value), depth)}]")
    if isinstance(value, str | int | float):
        return _cut(repr(value[:_WIDEST] if isinstance(value, str) else value))
    return f"a value of type {type(value).__name__}"


_MOST_SUGGESTIONS = 100
_WIDEST = 60
_DEEPEST = 3


def _list(parts: Iterable[str], depth: int) -> str:
    """The first of ``parts``: a value may be huge, or hold itself."""
    return "..." if depth >= _DEEPEST else ", ".join(islice(parts, 8))


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."
