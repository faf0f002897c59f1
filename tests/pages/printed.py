"""What a page shows below a command, beside what the command prints.

A line ``...`` stands for any lines, ``...`` within a line for any words, and the seconds that a command took
(``in 1.6 s`` at the end of a line) for any seconds. All else is as printed.
"""

import re
from collections.abc import Iterator

_SECONDS = re.compile(r" in \d+\.\d s$")


def shows(shown: str, printed: str) -> bool:
    """Whether ``shown`` is what was ``printed``."""
    pattern = "".join(
        r"(?:.*\n)*" if line.strip() == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n"
        for line in _lines(shown)
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(printed))) is not None


def _lines(text: str) -> Iterator[str]:
    return (_SECONDS.sub(" in 0.0 s", line.rstrip()) for line in text.rstrip().splitlines())
