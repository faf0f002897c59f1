"""The rules of each resource type, by the service that holds it."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module

from .record import Rule

SERVICES = {
    "gcp:compute": "google_compute",
}
"""The module of a type's rules, by how its token begins. It is imported when somebody asks."""


@cache
def rules_of(token: str) -> Sequence[Rule]:
    """All rules of a resource type; empty where none is known."""
    module = SERVICES.get(token.partition("/")[0])
    return import_module(f".{module}", __package__).RULES.get(token, ()) if module else ()
