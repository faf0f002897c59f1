"""A provider's own plugin: where it is, a process of it, and Pulumi's protocol between it and the engine.

Each message passes as it is, but for where the plugin's requests lead.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import grpc
from pulumi.runtime.proto import provider_pb2
from pulumi_offline.errors import InputError, Refused
from ..controlplane.processes import end, spawn
from ..serve import OPTIONS, on_a_port
from ..timeline import Log
from .record import RealProvider

_OPERATIONS: Mapping[str, Any] = {
    "Create": provider_pb2.CreateRequest,
    "Update": provider_pb2.UpdateRequest,
    "Delete": provider_pb2.DeleteRequest,
}


def find_plugin(provider: RealProvider) -> Path:
    """The plugin on PATH; else the one that `pulumi plugin install` left. Raises ``Refused`` where there is none."""
    program = f"pulumi-resource-{provider.package}"
    release = version(provider.sdk)
    home = Path(os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi")
    installed = home / "plugins" / f"resource-{provider.package}-v{release}" / program
    found = shutil.which(program) or (str(installed) if os.access(installed, os.X_OK) else None)
    if found is None:
        remedy = f"run `pulumi plugin install resource {provider.package} {release}`, or put it on PATH"
        raise Refused([InputError(("--real-provider",), f"there is no {program}; {remedy}")])
    return Path(found)


class Plugin:
    """A process of a plugin, as the engine would start it."""

    def __init__(self, program: Path, folder: Path, environment: Mapping[str, str]) -> None:
        """It works in ``folder`` and logs there. Raises ``OSError`` where it does not serve."""
        log = folder / f"{program.name}.log"
        with log.open("ab") as output:
            # Without an engine's address it waits until it is attached. It says its port, and nothing after that.
            self._process = spawn([program], subprocess.PIPE, output, cwd=folder, env=dict(environment), text=True)
        assert self._process.stdout is not None
        self.port = self._process.stdout.readline().strip()
        if not self.port.isdigit():
            self.end()
            raise OSError(f"{program} does not serve: {self.port or log.read_text(errors='replace')[-500:]}")

    def end(self) -> None:
        """Kill it with what it started."""
        end(self._process)
        assert self._process.stdout is not None
        self._process.stdout.close()


class Process(Protocol):
    """A plugin that runs."""

    port: str

    def end(self) -> None:
        """It runs no more."""


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
        return grpc.unary_unary_rpc_method_handler(partial(self._pass_on, handler_call_details.method))

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
        for key, text in settings.items() - before.items():
            # Older providers read the first, newer ones the second.
            asked.variables[f"{prefix}{key}"] = asked.args[key] = text
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
    try:
        with on_a_port("forwarder", lambda server: server.add_generic_rpc_handlers((forwarder,))) as port:
            yield port
    finally:
        forwarder.close()
