"""Which lines of a log are worth a look: most are not, and those are never taken apart.

A line is known by its shape, the line without its digits. Logs repeat few shapes very often, so each shape is searched
once. That is why no word below holds a digit.
"""

from .failures import NEEDLES

DIGITS = b"0123456789"
_MOST = 1 << 14  # shapes that are remembered
LONG = 1 << 10  # bytes of a shape, or of a line, that is not worth remembering

_WORDS = (
    b"Using", b"NET/", b"NET plugin", b" MNNVL ",  # NCCL
    b"bus", b" Pid ", b"ytes ", b"of bounds", b"Collective test", b"_perf",  # nccl-tests
    b"float", b"half", b" int", b"uint", b"double", b" fe", b" fp_", b" char",  # types of rows; `f8e4m3` reads `fem`
    *NEEDLES,
)  # fmt: skip


class Telling:
    """Finds the telling lines of a block."""

    def __init__(self) -> None:
        self._dull: set[bytes] = set()
        self._bright: set[bytes] = set()

    def places(self, block: bytes) -> list[int]:
        """Numbers of the lines, from 0, that may tell something."""
        dull, bright = self._dull, self._bright
        shapes = block.translate(None, DIGITS).split(b"\n")
        telling = []
        for place in [place for place, shape in enumerate(shapes) if shape not in dull]:
            shape = shapes[place]
            if shape in bright:
                telling.append(place)
                continue
            tells = any(word in shape for word in _WORDS)
            if tells:
                telling.append(place)
            if len(shape) < LONG:
                (bright if tells else dull).add(shape)
        for known in (dull, bright):
            if len(known) > _MOST:
                known.clear()
        return telling
