"""The plan of a stack from its configuration, made once a process."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any, Protocol, TypeVar

from ..args import plan_from
from ..config import plan_config
from ..errors import ErrorList
from ..written import from_json, to_json
from .summary import Summary

P = TypeVar("P")
Plan = TypeVar("Plan", covariant=True)
T = TypeVar("T")


class Planner(Protocol[Plan]):
    """Makes the plan of a whole stack."""

    def __call__(self, args: Mapping[str, Any], name: str, *, camel: bool = False) -> Plan:
        """The plan of the component ``name`` with ``args``.

        ``camel`` reads the keys, and spells the errors' paths, as a stack file does. Raises ``Refused`` with every
        error.
        """
        ...


def planner(schema: type[T], make_plan: Callable[[T, str, ErrorList], P | None]) -> Planner[P]:
    """The planner of a cloud, from the schema of its args and the function that decides them."""

    def plan(args: Mapping[str, Any], name: str, *, camel: bool = False) -> P:
        return plan_from(schema, lambda checked, errors: make_plan(checked, name, errors), args, camel=camel)

    return plan


def plan_stack(plan: Callable[..., P], stack_keys: Mapping[str, str], config: Mapping[str, str], stack: str) -> P:
    """What a cloud's ``plan_rdma_cluster_args`` makes of a stack's configuration.

    The command shows a plan and then runs the program, which asks for the same one and gets it. Raises ``Refused`` with
    every error under the key that the user wrote.
    """
    return plan_config(config, stack_keys, lambda args: _planned(plan, to_json(args), stack))


@lru_cache(maxsize=4)
def _planned(plan: Callable[..., P], args: str, stack: str) -> P:
    return plan(from_json(args), stack, camel=True)


def plan_of(cloud: str, config: Mapping[str, str], stack: str) -> Any:
    """The plan of a stack, in its cloud's own form. Raises ``Refused`` with every error."""
    package = _plan_package(cloud)
    return plan_stack(package.plan_rdma_cluster_args, package.STACK_KEYS, config, stack)


def summarise_stack(cloud: str, config: Mapping[str, str], stack: str) -> Summary:
    """The plan of a stack in words and numbers. Raises ``Refused`` with every error."""
    return _plan_package(cloud).summarise(plan_of(cloud, config, stack))


def _plan_package(cloud: str) -> Any:
    return import_module(f"rdma_cluster.{cloud}.plan")
