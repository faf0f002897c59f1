"""Numbers as they were written: ``1.30`` is told as ``1.30``, through JSON and back."""

import json
import re
from collections.abc import Mapping
from typing import Any

_JSON = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


class Written(float):
    """A number with a fraction, and how it was written."""

    text: str

    def __new__(cls, text: str) -> "Written":
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __repr__(self) -> str:
        return self.text


def as_written(text: str, number: float) -> float:
    """``number`` with its text, where JSON writes it so, too."""
    return Written(text) if _JSON.fullmatch(text) else number


def to_json(value: Any) -> str:
    """JSON, in which numbers have the text that they had."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{json.dumps(key)}: {to_json(of)}' for key, of in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(to_json, value))}]"
    return value.text if isinstance(value, Written) else json.dumps(value)


def from_json(text: str) -> Any:
    """The value of a JSON text. Raises ``ValueError`` where it is none, ``RecursionError`` where it is too deep."""
    return json.loads(text, parse_float=Written)
