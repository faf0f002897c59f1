"""What other tools call a key: a word of theirs leads to ours, as a misspelt key does."""

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import TypeVar, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

T = TypeVar("T")

_TABLES: dict[type, dict[str, str]] = {}


def other_names(names: Mapping[str, str]) -> Callable[[type[T]], type[T]]:
    """Marks a schema with words of other tools. ``names`` maps a key of the schema, or advice, to words between spaces.

    Case, ``_`` and ``-`` are nothing in a word. Schemas that inherit from this one know the words, too, and so does a
    schema that has a key of this one's type: who writes a pool's word at the top is led to ``pools[]``.
    """

    def mark(schema: type[T]) -> type[T]:
        _TABLES[schema] = {_letters(word): meant for meant, words in names.items() for word in words.split()}
        return schema

    return mark


def suggest(schema: type, known: Mapping[str, str], key: str, *, near: bool) -> tuple[str, list[str]]:
    """What to do about an unknown key, and the spelling of the key that it means, if any.

    ``known`` maps spellings to keys. ``near`` also looks for keys that are spelt alike, which takes its time.
    """
    letters = _letters(key)
    meant = next((table[letters] for table in _tables(schema) if letters in table), "")
    close = [spelling for spelling, ours in known.items() if ours == meant]
    if not close and (elsewhere := meant or _found_below(schema, letters)):
        return elsewhere, []
    if not close and near:
        close = get_close_matches(key, known, n=1)
    return (f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(known))}"), close


def meanings(word: str) -> list[str]:
    """What to do with a word of another tool, in any schema that was imported."""
    found = {meant for table in _TABLES.values() if (meant := table.get(_letters(word)))}
    return sorted(_camel(f"did you mean {meant}?") if meant.isidentifier() else meant for meant in found)


def _found_below(schema: type, letters: str, path: str = "") -> str:
    for key, hint in get_type_hints(schema).items():
        many = get_origin(hint) is list
        if is_typeddict(inner := get_args(hint)[0] if many else hint):
            meant = next((table[letters] for table in _tables(inner) if letters in table), "")
            here = f"{path}{key}{'[]' * many}."
            if meant.isidentifier():
                return _camel(f"did you mean {here}{meant}?")
            if found := meant or _found_below(inner, letters, here):
                return found
    return ""


def _tables(schema: type) -> Iterator[dict[str, str]]:
    if schema in _TABLES:
        yield _TABLES[schema]
    # A TypedDict forgets its bases but for this.
    for base in getattr(schema, "__orig_bases__", ()):
        if isinstance(base, type):
            yield from _tables(base)


def _camel(text: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), text)


def _letters(word: str) -> str:
    return re.sub(r"[^a-z0-9]", "", word.lower())
