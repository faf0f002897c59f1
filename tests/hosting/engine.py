"""The engine's side of a plugin: it starts the folder as the language host does, and speaks the provider protocol."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import struct_pb2
from google.protobuf.empty_pb2 import Empty  # ty: ignore[missing-module-member]
from pulumi.runtime.proto import (
    engine_pb2_grpc,
    errors_pb2,
    provider_pb2,
    provider_pb2_grpc,
    resource_pb2_grpc,
    status_pb2,
)
from pulumi_offline import Graph
from pulumi_offline.codec import SIGNATURE, decode
from pulumi_offline.monitor import Monitor
from pulumi_offline.project import Settings
from tests.stacks import ROOT

_EMPTY: Any = Empty()
SDKS = ("pulumi_aws", "pulumi_gcp", "pulumi_kubernetes")
"""The monitor checks each resource against its SDK, where that is imported."""
OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
"""The protocol's mark of an output: a value, or none while it is unknown, and the resources it depends on."""
URN = "urn:pulumi:dev::other::"


@dataclass
class Refusal(Exception):
    """A plugin's answer that says no."""

    message: str
    errors: dict[str, str]
    """Reasons by property path, as the engine shows them."""


class Plugin:
    """A running plugin."""

    def __init__(self, stub: Any) -> None:
        self._stub = stub

    def handshake(self) -> str:
        """The first words of the engine, those about its own address among them; the version of the plugin."""
        try:
            self._stub.Handshake(provider_pb2.ProviderHandshakeRequest(engine_address="127.0.0.1:1"))
        except grpc.RpcError as error:
            # An engine goes on without it: it is newer than the SDK's server.
            assert _call(error).code() is grpc.StatusCode.UNIMPLEMENTED
        self._stub.Configure(provider_pb2.ConfigureRequest(acceptSecrets=True, acceptResources=True))
        return self._stub.GetPluginInfo(_EMPTY).version

    def schema(self) -> dict[str, Any]:
        """What code generators read."""
        return json.loads(self._stub.GetSchema(provider_pb2.GetSchemaRequest()).schema)

    def construct(self, component: str, inputs: dict[str, Any]) -> tuple[dict[str, Any], Graph]:
        """The outputs of a component and the resources that it registered. Raises Refusal."""
        for sdk in SDKS:
            import_module(sdk)
        monitor = Monitor(Settings("other", "dev", {}, frozenset()), {})
        given: Any = struct_pb2.Struct()  # ty: ignore[missing-attribute]
        given.update(inputs)
        with served(monitor) as address:
            request = provider_pb2.ConstructRequest(
                project="other",
                stack="dev",
                monitorEndpoint=address,
                dryRun=True,
                type=f"rdma-cluster:index:{component}",
                name="here",
                inputs=given,
            )
            try:
                answer = self._stub.Construct(request, timeout=300)
            except grpc.RpcError as error:
                raise _refusal(error) from None
        assert monitor.problems() == ()
        return {"urn": answer.urn, **decode(answer.state)}, monitor.graph()


def _call(error: grpc.RpcError) -> Any:
    """What a failed call says of itself; gRPC ships no types for it."""
    return error


def _refusal(error: Any) -> Refusal:
    told = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin", b"")
    errors: dict[str, str] = {}
    for detail in status_pb2.Status.FromString(told).details:
        listed = errors_pb2.InputPropertiesError()
        assert detail.Unpack(listed)
        errors |= {each.property_path: each.reason for each in listed.errors}
    return Refusal(error.details(), errors)


def output(value: Any = None, *depends_on: str) -> dict[str, Any]:
    """An output of another resource as it travels; unknown without a value."""
    known = {} if value is None else {"value": value}
    return {SIGNATURE: OUTPUT, **known, "dependencies": list(depends_on)}


@contextmanager
def running(folder: Path) -> Generator[Plugin]:
    """A plugin as `python FOLDER ENGINE`, which says on which port it listens and nothing else."""
    engine = grpc.server(ThreadPoolExecutor(1))
    methods = engine_pb2_grpc.EngineServicer()
    setattr(methods, "Log", lambda request, context: _EMPTY)  # noqa: B010
    engine_pb2_grpc.add_EngineServicer_to_server(methods, engine)
    address = f"127.0.0.1:{engine.add_insecure_port('127.0.0.1:0')}"
    engine.start()
    process = subprocess.Popen(
        [sys.executable, folder, address],
        stdout=subprocess.PIPE,
        text=True,
        # Anywhere but in the repository: the language host runs a plugin in the program's folder.
        cwd=ROOT.anchor,
        # That the monitor goes away at the end of a call is no news.
        env={**os.environ, "GRPC_VERBOSITY": "NONE"},
    )
    assert process.stdout is not None
    try:
        with grpc.insecure_channel(f"127.0.0.1:{int(process.stdout.readline())}") as channel:
            yield Plugin(provider_pb2_grpc.ResourceProviderStub(channel))
    finally:
        process.terminate()
        process.communicate()
        engine.stop(None).wait()


@contextmanager
def served(monitor: Monitor) -> Generator[str]:
    """The address at which ``monitor`` takes registrations, as the engine's does."""
    methods = resource_pb2_grpc.ResourceMonitorServicer()
    for name in dir(methods):
        if (answers := getattr(monitor, name, None)) and not name.startswith("_"):
            setattr(methods, name, lambda request, context, answers=answers: _or_empty(answers(request)))
    # One at a time: the monitor was written for one thread.
    server = grpc.server(ThreadPoolExecutor(1))
    resource_pb2_grpc.add_ResourceMonitorServicer_to_server(methods, server)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield address
    finally:
        server.stop(None).wait()


def _or_empty(answer: Any) -> Any:
    return _EMPTY if answer is None else answer
