"""Modules of the agent by the short names that these tests use."""

from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

import rdma_agent

_MODULES = {each.name.rpartition(".")[2]: each.name for each in walk_packages(rdma_agent.__path__, "rdma_agent.")}

_OTHERS = {"prover": "rdma_agent.prover.main"}


def load(name: str) -> ModuleType:
    """A module of the agent by the last part of its name; ``fault_`` stands for the package of faults."""
    return import_module(_OTHERS.get(name) or _MODULES[name.removeprefix("fault_")])
