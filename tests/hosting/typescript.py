"""The SDK in TypeScript that Pulumi's engine makes of our schema, and the compiler's word on programs that use it.

Needs `pulumi` with its language host for Node.js, and `tsc`, on PATH; beside `tsc` @pulumi/pulumi, @pulumi/kubernetes
and @types/node. Other SDKs, whose resources ours hand on, are stood in for: by a schema each for the engine, and a
declaration each for the compiler, with those resources and nothing else.
"""

import json
import os
import re
import shutil
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
_OPTIONS = {"target": "es2022", "module": "nodenext", "strict": True, "skipLibCheck": True, "types": ["node"]}
_BESIDE = ("@pulumi/pulumi", "@pulumi/kubernetes", "@types/node")
_PROGRAMS = ("pulumi", "pulumi-language-nodejs", "tsc")


def missing() -> str:
    """What is not there; nothing where the SDK can be made and compiled."""
    absent = [program for program in _PROGRAMS if shutil.which(program) is None]
    if not absent:
        absent = [f"{package} beside tsc" for package in _BESIDE if not (modules() / package).is_dir()]
    return f"needs {', '.join(absent)}; DEVELOPERS.md says where to get it" if absent else ""


def modules() -> Path:
    """The folder of packages that `tsc` stands in."""
    return Path(shutil.which("tsc") or "").resolve().parents[2]


def make_sdk(schema: dict[str, Any], folder: Path) -> None:
    """Let the engine make the SDK, in ``folder``/sdk/nodejs, and lay it beside what programs import with it."""
    file = folder / "schema.json"
    file.write_text(json.dumps(schema))
    foreign = {package: _stand_in(package, version, tokens) for (package, version), tokens in _named(schema).items()}
    with _served(foreign) as ports:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_DEBUG_PROVIDERS": ",".join(f"{package}:{port}" for package, port in ports.items()),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        }
        command = ["pulumi", "package", "gen-sdk", str(file), "--language", "nodejs", "--out", str(folder / "sdk")]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    packages = folder / "node_modules"
    for package in _BESIDE:
        (packages / package).parent.mkdir(parents=True, exist_ok=True)
        (packages / package).symlink_to(modules() / package)
    (packages / "@pulumi" / "rdma-cluster").symlink_to(folder / "sdk" / "nodejs")
    for (package, _), tokens in _named(schema).items():
        if not (stand_in := packages / "@pulumi" / package).exists():
            stand_in.mkdir()
            (stand_in / "index.d.ts").write_text(_declared(tokens))


def build_sdk(folder: Path) -> None:
    """Compile the SDK that `make_sdk` made, for Node.js to run it."""
    sdk = folder / "sdk" / "nodejs"
    done = subprocess.run(["tsc", "--project", str(sdk)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    described = {**json.loads((sdk / "package.json").read_text()), "main": "bin/index.js"}
    for file in (sdk / "package.json", sdk / "bin" / "package.json"):
        file.write_text(json.dumps(described))


def compile_all(programs: dict[str, str], folder: Path) -> dict[str, str]:
    """What the compiler says of each program beside the SDK that `make_sdk` made; nothing where it is right.

    NAME.js is what Node.js runs.
    """
    for name, text in programs.items():
        (folder / f"{name}.ts").write_text(text)
    files = [f"{name}.ts" for name in programs]
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": _OPTIONS, "files": files}))
    command = ["tsc", "--project", ".", "--pretty", "false"]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout
    told = {name: "".join(re.findall(rf"^{name}\.ts\(.*\n(?: .*\n)*", said, re.MULTILINE)) for name in programs}
    assert sum(map(len, told.values())) == len(said), said
    return told


def _named(schema: Any) -> dict[tuple[str, str], set[str]]:
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


def _declared(tokens: set[str]) -> str:
    """The classes of resources, for the compiler."""
    lines = ['import * as pulumi from "@pulumi/pulumi";', "export class Provider extends pulumi.ProviderResource {}"]
    for token in sorted(tokens):
        _, module, name = token.split(":")
        of = module.partition("/")[0]
        lines.append(f"export namespace {of} {{ class {name} extends pulumi.CustomResource {{}} }}")
    return "\n".join(lines) + "\n"


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
