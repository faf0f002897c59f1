"""The engine's side of the protocol: what it asks a provider, in its order, with its marks."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import struct_pb2
from google.protobuf.empty_pb2 import Empty  # ty: ignore[missing-module-member]
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc, status_pb2
from pulumi_offline.codec import decode
from rdma_rehearsal.clock import Clock
from rdma_rehearsal.controlplane.objects import ControlPlane
from rdma_rehearsal.faults import FaultPlan
from rdma_rehearsal.inventory import Inventory
from rdma_rehearsal.serve import serving
from rdma_rehearsal.timeline import Log

# An error that carries a resource is as large as this; the engine's own client takes 16 MB.
_OPTIONS = [
    # Connections of one process are one else.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_metadata_size", 1 << 24),
    ("grpc.absolute_max_metadata_size", 1 << 24),
]


@dataclass
class Failed(Exception):
    """A provider's answer that says no."""

    words: str
    id: str = ""
    """Of the resource that is there all the same."""


class Provider:
    """One provider: a connection of its own, with its own configuration."""

    def __init__(self, package: str, port: int, settings: Mapping[str, Any]) -> None:
        self._package = package
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=_OPTIONS)
        self._stub: Any = provider_pb2_grpc.ResourceProviderStub(self._channel)
        self.handshake = self._stub.Handshake(provider_pb2.ProviderHandshakeRequest(engine_address="127.0.0.1:1"))
        checked = self._stub.CheckConfig(provider_pb2.CheckRequest(news=struct(settings)))
        self._stub.Configure(provider_pb2.ConfigureRequest(args=checked.inputs, acceptSecrets=True))

    def close(self) -> None:
        """End the connection."""
        self._channel.close()

    def version(self) -> str:
        """What the plugin says its version is."""
        return self._stub.GetPluginInfo(Empty()).version

    def diff_config(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> Any:
        """What changed settings of a provider mean."""
        return self._stub.DiffConfig(provider_pb2.DiffRequest(old_inputs=struct(old), news=struct(new)))

    def check(self, token: str, name: str, inputs: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> Any:
        """Inputs as they are going to be in the state."""
        request = provider_pb2.CheckRequest(urn=urn(token, name), news=struct(inputs), olds=struct(before or {}))
        return decode(self._stub.Check(request).inputs)

    def create(
        self, token: str, name: str, inputs: Mapping[str, Any], timeout: float = 0.0, preview: bool = False
    ) -> tuple[str, dict[str, Any]]:
        """Check and make a resource; its id and outputs. Raises ``Failed``."""
        checked = struct(self.check(token, name, inputs))
        request = provider_pb2.CreateRequest(urn=urn(token, name), properties=checked, timeout=timeout, preview=preview)
        answer = self._answer(self._stub.Create, request)
        return answer.id, decode(answer.properties)

    def diff(self, token: str, name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Any:
        """What a change of inputs means."""
        request = provider_pb2.DiffRequest(urn=urn(token, name), old_inputs=struct(old), news=struct(new))
        return self._stub.Diff(request)

    def update(
        self, id_: str, token: str, name: str, old: Mapping[str, Any], new: Mapping[str, Any], **how: Any
    ) -> dict[str, Any]:
        """Change a resource; its outputs. Raises ``Failed``."""
        request = provider_pb2.UpdateRequest(
            id=id_, urn=urn(token, name), old_inputs=struct(old), news=struct(new), **how
        )
        return decode(self._answer(self._stub.Update, request).properties)

    def read(self, id_: str, token: str, name: str) -> tuple[str, dict[str, Any]]:
        """A resource's id, empty where it is no more, and its outputs."""
        answer = self._stub.Read(provider_pb2.ReadRequest(id=id_, urn=urn(token, name)))
        return answer.id, decode(answer.properties)

    def delete(self, id_: str, token: str, name: str) -> None:
        """Remove a resource. Raises ``Failed``."""
        self._answer(self._stub.Delete, provider_pb2.DeleteRequest(id=id_, urn=urn(token, name)))

    def invoke(self, token: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Call a function. Raises ``Failed``."""
        answer = self._answer(self._stub.Invoke, provider_pb2.InvokeRequest(tok=token, args=struct(args)))
        return decode(getattr(answer, "return"))

    def _answer(self, call: Any, request: Any) -> Any:
        try:
            return call(request, timeout=30)
        except grpc.RpcError as error:
            raise _failed(error) from None


class Clouds:
    """All simulated clouds, on disk in a folder."""

    def __init__(self, folder: Path, control_plane: ControlPlane | None = None) -> None:
        self.inventory = Inventory(folder)
        self._control_plane = control_plane
        self.clock = Clock()
        self.clock.instant = True
        self.fault_plan = FaultPlan()
        self.log = Log(self.clock)
        self.ports: dict[str, int] = {}
        self._providers: list[Provider] = []

    def provider(self, package: str, **settings: Any) -> Provider:
        """Another provider of a package."""
        made = Provider(package, self.ports[package], settings)
        self._providers.append(made)
        return made

    @contextmanager
    def served(self) -> "Generator[Clouds]":
        """Them, until the end of the block."""
        with serving(self.inventory, self.clock, self.fault_plan, self.log, self._control_plane) as self.ports:
            yield self
            for each in self._providers:
                each.close()


def urn(token: str, name: str) -> str:
    """The URN of a resource below the stack."""
    return f"urn:pulumi:dev::project::{token}::{name}"


def struct(values: Mapping[str, Any]) -> Any:
    """Values as they travel."""
    made: Any = struct_pb2.Struct()  # ty: ignore[missing-attribute]
    made.update(values)
    return made


def _failed(error: Any) -> Failed:
    told = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin", b"")
    id_ = ""
    for detail in status_pb2.Status.FromString(told).details:
        half = provider_pb2.ErrorResourceInitFailed()
        assert detail.Unpack(half)
        id_ = half.id
    return Failed(error.details(), id_)
