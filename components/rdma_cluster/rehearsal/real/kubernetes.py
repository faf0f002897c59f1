"""The Kubernetes provider's own plugin, on a control plane."""

from collections.abc import Generator
from contextlib import contextmanager

from ...errors import InputError, Refused
from .record import Behind, RealProvider, Rehearsed


@contextmanager
def _start(rehearsed: Rehearsed) -> Generator[Behind]:
    raise Refused([InputError(("--real-provider",), "kubernetes: nothing stands behind it yet")])
    yield


PROVIDER = RealProvider("kubernetes", "pulumi_kubernetes", _start)
