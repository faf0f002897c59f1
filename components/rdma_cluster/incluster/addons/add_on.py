"""The record of an add-on: its key, its options, how a stack plans it, and what it is installed after."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from enum import Enum
from typing import Any

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ..plan.claim_templates import DEFAULT_NAMESPACES, ClaimTemplatesPlan
from ..plan.context import ClusterContext, InClusterOptions, Part
from ..plan.pool import GpuPool
from ..plan.statements import Statement
from ..plan.workload import Workload
from . import Addons


class After(Enum):
    """What an add-on comes after and leaves before, in the order of installation."""

    CLAIMS = "claims"
    """Claim templates, files and volumes, which pods name."""
    DRIVERS = "drivers"
    """Drivers and plugins on the nodes."""
    TESTS = "tests"
    """The tests of all pools."""
    PROOF = "proof"
    """The test of the pool that it runs on."""


@frozen
class Stack:
    """What an add-on's plan may read of its stack."""

    context: ClusterContext
    pools: tuple[GpuPool, ...]
    choice: InClusterOptions
    statements: tuple[Statement, ...]
    """What the pools take for granted of the cluster."""
    addons: Addons = field(default_factory=Addons)
    """The add-ons that are planned before this one."""
    workloads: Mapping[str, Workload] = field(default_factory=dict)
    """What pods add, by pool."""
    claims: ClaimTemplatesPlan | None = None
    """The claim templates; ``None`` where there are none, or they have errors."""
    makes_namespaces: bool = False
    """Whether nothing else makes the namespaces of the claims."""
    all_pools_planned: bool = True
    """Whether no pool of the stack is missing from ``pools`` for errors of its own."""

    @property
    def namespaces(self) -> list[str]:
        """Namespaces in which workloads run."""
        return self.choice.claims.get("namespaces", DEFAULT_NAMESPACES)


def own_warnings(stack: Stack, part: Part[Any, Any]) -> Iterable[str]:
    """The warnings of an add-on's own plan."""
    return part.plan.warnings


@frozen
class AddOn:
    """A part of a stack that its user switches on."""

    key: str
    """Key of its options, and name of its folder."""
    options: type[Any]
    """Args schema of its options."""
    plan: Callable[[Stack, Any, ErrorList], Any]
    """Plan of it, or ``None`` with errors, from its options. The function imports the plan's module itself: few stacks
    have add-ons, whose plans are a fifth of what would be imported. Errors stand below the stack's keys."""
    after: After
    namespaces: Mapping[str, str] = field(default_factory=dict)
    """Namespaces that it makes and fills alone, each with what is in it."""
    warnings: Callable[[Stack, Part[Any, Any]], Iterable[str]] = own_warnings
    """Warnings of a stack that has it, from the stack with all its add-ons."""
    before_acceptance: bool = False
    """Whether the acceptance test's plan follows from its plan."""
