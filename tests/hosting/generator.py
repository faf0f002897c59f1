"""The SDK that Pulumi's engine makes of our schema for a language. Needs `pulumi` with that language's host on PATH.

Other SDKs, whose resources ours hand on, are stood in for by a schema each, with those resources and nothing else.
"""

import json
import os
import re
import subprocess
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import grpc
from google.protobuf.empty_pb2 import Empty  # ty: ignore[missing-module-member]
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

_FOREIGN = re.compile(r"/([\w-]+)/v([^/]+)/schema\.json#/(provider|resources/(.+))")


def generate(schema: dict[str, Any], language: str, folder: Path) -> Path:
    """Let the engine make the SDK below ``folder``. Returns where it stands."""
    file = folder / "schema.json"
    file.write_text(json.dumps(schema))
    foreign = {package: _stand_in(package, version, tokens) for (package, version), tokens in named(schema).items()}
    with _served(foreign) as ports:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_DEBUG_PROVIDERS": ",".join(f"{package}:{port}" for package, port in ports.items()),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        }
        command = ["pulumi", "package", "gen-sdk", str(file), "--language", language, "--out", str(folder / "sdk")]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "sdk" / language


def named(schema: Any) -> dict[tuple[str, str], set[str]]:
    """Packages of others that a schema refers to, by name and version, with the tokens of their resources."""
    found: dict[tuple[str, str], set[str]] = {}
    for reference in _references(schema):
        if match := _FOREIGN.fullmatch(reference):
            found.setdefault((match[1], match[2]), set()).update({unquote(match[4])} if match[4] else ())
    return found


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (value["$ref"],) if isinstance(value.get("$ref"), str) else ()
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _references(each)


def _stand_in(package: str, version: str, tokens: set[str]) -> dict[str, Any]:
    # As the clouds' own schemas: the last part of a module is the file.
    meta = {"moduleFormat": "(.*)(?:/[^/]*)"} if any("/" in token for token in tokens) else {}
    return {"name": package, "version": version, "meta": meta, "resources": {token: {} for token in tokens}}


class _SchemaAlone(provider_pb2_grpc.ResourceProviderServicer):
    """A provider that tells its schema, which is all that is asked of it."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema

    def Handshake(self, request: Any, context: Any) -> Any:
        return provider_pb2.ProviderHandshakeResponse()

    def Attach(self, request: Any, context: Any) -> Any:
        return Empty()

    def Cancel(self, request: Any, context: Any) -> Any:
        return Empty()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version=self._schema["version"])

    def GetSchema(self, request: Any, context: Any) -> Any:
        return provider_pb2.GetSchemaResponse(schema=json.dumps(self._schema))


@contextmanager
def _served(schemas: dict[str, dict[str, Any]]) -> Generator[dict[str, int]]:
    servers, ports = [], {}
    for package, schema in schemas.items():
        server = grpc.server(ThreadPoolExecutor(2))
        provider_pb2_grpc.add_ResourceProviderServicer_to_server(_SchemaAlone(schema), server)
        ports[package] = server.add_insecure_port("127.0.0.1:0")
        server.start()
        servers.append(server)
    try:
        yield ports
    finally:
        for server in servers:
            server.stop(None).wait()
