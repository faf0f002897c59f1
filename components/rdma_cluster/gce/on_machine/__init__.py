"""What runs on a plain machine, as files: written by cloud-init, or sent in the metadata with an order to test."""

from functools import cache
from pathlib import Path


@cache
def script(name: str) -> str:
    """The text of a file in this folder."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
