"""Which lines of a log are worth a look: most are not, and those are never taken apart.

A line is known by its shape, the line without its digits. Logs repeat few shapes very often, so a shape is looked
into once. No word below holds a digit, for that reason.
"""

from .failures import NEEDLES

DIGITS = b"0123456789"
_MOST = 1 << 14  # shapes that are remembered

_WORDS = (
    b"Using", b"NET/", b"NET plugin",  # NCCL
    b"bus", b" Pid ", b"ytes ", b"of bounds", b"Collective test", b"_perf",  # nccl-tests
    b"float", b"half", b" int", b"uint", b"double", b" fe", b" fp_", b" char",  # types of rows; `f8e4m3` reads `fem`
    *NEEDLES,
)  # fmt: skip


class Telling:
    """Finds the telling lines of a block."""

    def __init__(self) -> None:
        self._dull: set[bytes] = set()

    def places(self, block: bytes) -> list[int]:
        """Numbers of the lines, from 0, that may tell something."""
        dull = self._dull
        shapes = block.translate(None, DIGITS).split(b"\n")
        fresh = [place for place, shape in enumerate(shapes) if shape not in dull]
        telling = []
        for place in fresh:
            shape = shapes[place]
            if any(word in shape for word in _WORDS):
                telling.append(place)
            else:
                dull.add(shape)
        if len(dull) > _MOST:
            dull.clear()
        return telling
