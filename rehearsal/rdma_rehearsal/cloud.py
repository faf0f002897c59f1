"""What differs between simulated clouds: how resources are identified, and how their APIs word a refusal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str, ...]
"""What identifies a resource: the names of those it lies in, then its own."""

Inputs = Mapping[str, Any]
Answer = Callable[[Inputs, Callable[[str], list[Inputs]]], Inputs]
"""What a function returns, from its arguments and the inputs of all resources of a type."""


@dataclass(frozen=True)
class Named:
    """A type whose resources have names that the program sets, unique within what contains them."""

    keys: tuple[str, ...]
    """Inputs that make up the path; all but the last are those of the type that contains it."""
    within: str = ""
    """That type; none where the path is one of regions and projects."""
    blocks: bool = False
    """Whether what contains it cannot be deleted before it; otherwise it is deleted with it."""


@dataclass(frozen=True)
class ErrorTexts:
    """What an API answers. Each takes ``token``, ``name`` and, where there is one, ``other``.

    They have the form of the API's own errors and were compared with no page of it, unlike those in ``constraints``:
    unverified.
    """

    exists: str
    absent: str
    in_use: str
    quota: str
    capacity: str
    timeout: str
    unavailable: str


@dataclass(frozen=True)
class Cloud:
    """One provider package."""

    package: str
    sdk: str
    """The import package of its SDK, which knows what outputs a resource has."""
    error_texts: ErrorTexts
    named: Mapping[str, Named] = field(default_factory=dict)
    name_key: Mapping[str, str] = field(default_factory=dict)
    """Inputs that the provider fills with a name of its own where a program gives none, by type."""
    any_name: bool = False
    """Whether ``name`` is such an input wherever a type has it."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """How ids are made from inputs, by type, where a constraint reads the name; others show what they are of."""
    counts: Mapping[str, str] = field(default_factory=dict)
    """Outputs that count a resource's changes from one, by type."""
    answers: Mapping[str, Answer] = field(default_factory=dict)
    """Functions whose answer depends on the resources that exist; others are answered as in an offline preview."""
    kept: Callable[[str, Inputs], Inputs] = lambda token, inputs: inputs
    """What the API keeps of a resource's inputs, by type. What it drops is a difference at every preview."""
    read_back: Callable[[str, Inputs, Inputs], Inputs] = lambda token, inputs, outputs: outputs
    """What a provider reads back of a resource, from its type, its inputs, and outputs as its SDK promises them."""
    regional: str = ""
    """The setting of the provider that every path begins with."""
