"""Which lines of a log are worth a look: most are not, and those are never taken apart.

A block is searched as a whole. Python's search for one of many words stops at each byte that any of them may begin
with, which is slow where that is a common letter: so each word is searched from its rarest letter, and what stands
before it is looked at from there. Words of common letters alone are searched one by one, or by what they share.
"""

import re
from collections.abc import Iterable, Iterator

from .failures import NEEDLES

WORDS = (
    b"Using", b"NET/", b"NET plugin", b" MNNVL ", b"NCCL version",  # NCCL
    b"bus", b" Pid ", b"ytes ", b"of bounds", b"Collective test", b"_perf",  # nccl-tests
    *NEEDLES,
)  # fmt: skip
"""A line without any of these is a row, or says nothing."""

_RARE = b"XZQqzVJjKkWxBDUHMYTGPbv_yg"
"""Letters that logs seldom hold, the rarest first."""
_SHARED = (b" error", b"lost co")
"""What several words of common letters have in common: a line with it and none of them is passed over."""
_ROW = re.compile(rb"0 (?= *[bcdfhiu]) *(?:b?float|half|u?int|double|f0e|fp0_|char)[^\n]*")
"""A count and a type, where every digit is a 0 and every blank a space; most blanks stand before no such letter."""
_PLAIN = bytes.maketrans(b"0123456789\t\v\f\r", b"0000000000    ")


def _scanner(words: Iterable[bytes]) -> tuple[re.Pattern[bytes], tuple[bytes, ...]]:
    """An expression for the words with a rare letter, from that letter to the line's end, and the other words."""
    by_letter: dict[int, list[bytes]] = {}
    common: list[bytes] = []
    for word in words:
        letter = next((each for each in _RARE if each in word), None)
        if letter is None:
            common.append(word)
        else:
            place = word.index(letter) + 1
            by_letter.setdefault(letter, []).append(b"(?<=%s)%s" % (re.escape(word[:place]), re.escape(word[place:])))
    groups = (b"%s(?:%s)" % (re.escape(bytes([letter])), b"|".join(ends)) for letter, ends in by_letter.items())
    return re.compile(b"(?:%s)[^\n]*" % b"|".join(groups)), tuple(common)


_TELLING, _ALONE = _scanner(WORDS)
_COMMON = {
    stem: [word for word in _ALONE if stem in word]
    for stem in dict.fromkeys(next((stem for stem in _SHARED if stem in word), word) for word in _ALONE)
}
"""What is searched one by one, to the words that a line must then hold one of."""


def telling(block: bytes) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each line that may tell something, in order, and whether it may be a row."""
    rows = {block.rfind(b"\n", 0, hit.start()) + 1: hit.end() for hit in _ROW.finditer(block.translate(_PLAIN))}
    rfind = block.rfind
    lines = {rfind(b"\n", 0, hit.start()) + 1: hit.end() for hit in _TELLING.finditer(block)}
    lines.update(rows)
    for stem, words in _COMMON.items():
        place = block.find(stem)
        while place >= 0:
            start, end = block.rfind(b"\n", 0, place) + 1, block.find(b"\n", place)
            end = len(block) if end < 0 else end
            if len(words) == 1 or any(word in block[start:end] for word in words):
                lines[start] = end
            place = block.find(stem, end)
    for start in sorted(lines):
        yield start, lines[start], start in rows
