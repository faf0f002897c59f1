"""Reads JSON that a person hands us: graphs and states. Size and depth are bounded, and the error is one line."""

import json
from pathlib import Path
from typing import Any, NoReturn

LONGEST = 64 << 20
"""Bytes of a file; the graph of our largest stack has 1.5 MB, a state about twice that of its graph."""
DEEPEST = 100
"""Levels; the schemas in CustomResourceDefinitions have some forty."""


def read_json(path: Path) -> Any:
    """The value in a file. Raises ``OSError``, and ``ValueError`` for what is no JSON, too long or too deep."""
    with path.open("rb") as file:  # perhaps one that never ends
        data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise ValueError(f"longer than {LONGEST >> 20} MiB")
    return parse_json(data)


def parse_json(text: str | bytes) -> Any:
    """The value of a text. Raises ``ValueError`` for what is no JSON, or too deep."""
    try:
        value = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError(f"nested deeper than {DEEPEST} levels") from None
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for each in level for inner in _inside(each)]
    if level:
        raise ValueError(f"nested deeper than {DEEPEST} levels")
    return value


def _inside(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")
