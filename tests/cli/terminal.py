"""A terminal in this process."""

from io import StringIO


class Terminal(StringIO):
    """A stream that says that it shows styles."""

    def isatty(self) -> bool:
        return True
