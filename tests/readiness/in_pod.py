"""The prover's files as they stand in a pod: beside each other, with nothing of the package."""

import sys
from pathlib import Path
from types import ModuleType

from rdma_cluster.incluster import in_pod

_HERE = str(Path(in_pod.__file__).parent)


def load(name: str) -> ModuleType:
    """A file of the prover's, by the name under which the others import it."""
    from importlib import import_module

    sys.path.insert(0, _HERE)
    try:
        return import_module(name)
    finally:
        sys.path.remove(_HERE)
