"""Reading the command line: the standard library's parser, with our exit codes and our words."""

import argparse
import re
import sys
from typing import Any, NoReturn


class Usage(Exception):
    """The command line is no order, or asked only for help; what there was to say is said."""

    def __init__(self, code: int):
        self.code = code


class Parser(argparse.ArgumentParser):
    """Takes no shortened options, and ends with ``Usage`` in place of the process."""

    def __init__(self, **options: Any):
        super().__init__(allow_abbrev=False, **options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        for word in args or ():
            # Before Python 3.13 the standard library takes `--flag=--` for a flag with an empty list of values.
            if re.fullmatch("--[a-z-]+=--", word):
                self.error(f"argument {word[:-3]}: got '--'; expected a value")
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; see {self.prog} -h", file=sys.stderr)
        raise Usage(2)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Usage(status)


def whole(text: str) -> int:
    """A whole number in ASCII digits, as an option writes it."""
    if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}")
    return int(text)
