"""What each cloud brings beside its machines and their prices, in one file a cloud.

No list names these files: a cloud lays its own beside the others and is known.
"""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

from ..hosts import HostOs
from .record import CloudFacts

_FILES = (each.name for each in iter_modules(__path__) if each.name != "record")
_FOUND: list[CloudFacts] = [import_module(f"{__name__}.{file}").FACTS for file in _FILES]

CLOUD_FACTS: Mapping[str, CloudFacts] = {each.name: each for each in sorted(_FOUND, key=lambda facts: facts.place)}
"""The clouds that have machines of their own, by name."""

HOSTS: Mapping[str, HostOs] = {host.name: host for facts in CLOUD_FACTS.values() for host in facts.hosts}
"""Node systems by name."""


def why_without_rdma(name: str) -> str:
    """Why a machine that exists has no fabric; empty where no cloud says so of it."""
    rows = (row for facts in CLOUD_FACTS.values() for row in facts.without_rdma)
    return next((row.why for row in rows if name in row.names), "")
