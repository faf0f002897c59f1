"""Pulumi's protocol between the engine and a provider's own plugin: each message as it is, but for where it leads."""

from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any, Protocol

import grpc
from pulumi.runtime.proto import provider_pb2

from ..timeline import Log

AT_ONCE = 256
"""Requests side by side."""
OPTIONS = [
    ("grpc.max_receive_message_length", 1 << 30),
    ("grpc.max_send_message_length", 1 << 30),
    # An error that carries a resource is as large as this; the engine's own client takes 16 MB.
    ("grpc.max_metadata_size", 1 << 24),
    ("grpc.absolute_max_metadata_size", 1 << 24),
]
_OPERATIONS: Mapping[str, Any] = {
    "Create": provider_pb2.CreateRequest,
    "Update": provider_pb2.UpdateRequest,
    "Delete": provider_pb2.DeleteRequest,
}


class Process(Protocol):
    """A plugin that runs."""

    port: str

    def end(self) -> None:
        """It runs no more."""
        ...


class Forwarder(grpc.GenericRpcHandler):
    """Serves one package of providers. Each connection is a provider of it, and has a process of the plugin."""

    def __init__(self, package: str, start: Callable[[], Process], lead: Callable[[dict[str, str]], None], log: Log):
        """``lead`` changes a provider's settings, by their bare names, so that its requests go where they shall."""
        self._package, self._start, self._lead, self._log = package, start, lead, log
        self._lock = Lock()
        self._plugins: dict[str, tuple[Process, grpc.Channel]] = {}
        # The engine waits ten seconds for a plugin's first answer, and a busy machine takes longer to start it.
        self._starter = ThreadPoolExecutor(1, "plugin")
        self._spare = self._starter.submit(start)

    def service(self, handler_call_details: Any) -> Any:
        """One method of the protocol, whichever it is: the plugin knows what it has."""
        method = handler_call_details.method
        return grpc.unary_unary_rpc_method_handler(lambda request, context: self._pass_on(method, request, context))

    def end(self) -> None:
        """End all processes that have served: no command runs."""
        with self._lock:
            for plugin, channel in self._plugins.values():
                channel.close()
                plugin.end()
            self._plugins.clear()

    def close(self) -> None:
        """End all processes."""
        self.end()
        with suppress(OSError):  # nobody asked for it
            self._spare.result().end()
        self._starter.shutdown()

    def _pass_on(self, method: str, request: bytes, context: Any) -> bytes:
        call = self._channel(context.peer()).unary_unary(method)
        name = method.rpartition("/")[2]
        if name == "Configure":
            request = self.led(request)
        try:
            if (message := _OPERATIONS.get(name)) is None:
                return call(request)
            asked = message.FromString(request)
            if getattr(asked, "preview", False):
                return call(request)
            with self._log.operation(name.lower(), asked.urn):
                return call(request)
        except grpc.RpcError as error:
            said: Any = error  # gRPC's errors are its answers, too
            # The details can hold the resource that is there all the same.
            context.set_trailing_metadata(tuple(said.trailing_metadata() or ()))
            context.abort(said.code(), said.details())
            raise AssertionError("abort raises") from None

    def led(self, request: bytes) -> bytes:
        """A request to configure a provider, as the plugin gets it."""
        asked = provider_pb2.ConfigureRequest.FromString(request)
        prefix = f"{self._package}:config:"
        before = {key.removeprefix(prefix): text for key, text in asked.variables.items()}
        settings = dict(before)
        self._lead(settings)
        for key in settings:
            if settings[key] != before.get(key):
                # Older providers read the first, newer ones the second.
                asked.variables[f"{prefix}{key}"] = settings[key]
                asked.args[key] = settings[key]
        return asked.SerializeToString()

    def _channel(self, peer: str) -> grpc.Channel:
        with self._lock:
            if peer not in self._plugins:
                plugin, self._spare = self._spare.result(), self._starter.submit(self._start)
                self._plugins[peer] = plugin, grpc.insecure_channel(f"127.0.0.1:{plugin.port}", options=OPTIONS)
            return self._plugins[peer][1]


@contextmanager
def served(forwarder: Forwarder) -> Generator[int]:
    """Serve it to the end of the block; gives the port."""
    server = grpc.server(ThreadPoolExecutor(AT_ONCE, "forwarder"), handlers=(forwarder,), options=OPTIONS)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(None).wait()
        forwarder.close()
