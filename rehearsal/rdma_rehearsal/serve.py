"""All simulated clouds as servers on this machine, which an engine can attach to."""

from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.util import find_spec
from types import MappingProxyType

import grpc
from pulumi.runtime.proto import provider_pb2_grpc
from .api import Api
from .clock import Clock
from .controlplane.objects import ControlPlane
from .faults import FaultPlan
from .inventory import Inventory
from .provider import SimulatedProvider
from .providers import SIMULATED
from .timeline import Log

WAITING = 256
"""Requests that may take their time side by side."""
OPTIONS = [
    ("grpc.max_receive_message_length", 1 << 30),
    ("grpc.max_send_message_length", 1 << 30),
    # An error that carries a resource is as large as this; the engine's own client takes 16 MB.
    ("grpc.max_metadata_size", 1 << 24),
    ("grpc.absolute_max_metadata_size", 1 << 24),
]


@contextmanager
def serving(  # one parameter for each thing that a simulated cloud is made of
    inventory: Inventory,
    clock: Clock,
    fault_plan: FaultPlan,
    log: Log,
    control_plane: ControlPlane | None = None,
    real: Mapping[str, int] = MappingProxyType({}),
) -> Generator[dict[str, int]]:
    """Serve every provider package whose SDK is installed; gives the ports by package.

    A ``control_plane`` takes the objects of Kubernetes, too. What is ``real`` has a port already, and is not simulated.
    """
    with ExitStack() as stack:
        ports = dict(real)
        for package, cloud in SIMULATED.items():
            if package in real or find_spec(cloud.sdk) is None:
                continue
            behind = control_plane if package == "kubernetes" else None
            provider = SimulatedProvider(Api(cloud, inventory, clock, fault_plan, behind), inventory, clock, log)
            add = partial(provider_pb2_grpc.add_ResourceProviderServicer_to_server, provider)
            ports[package] = stack.enter_context(on_a_port(package, add))
        yield ports


@contextmanager
def on_a_port(name: str, add: Callable[[grpc.Server], None]) -> Generator[int]:
    """Serve what ``add`` adds to a server, to the end of the block; gives the port."""
    server = grpc.server(ThreadPoolExecutor(WAITING, name), options=OPTIONS)
    add(server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(None).wait()
