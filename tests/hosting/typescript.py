"""The SDK in TypeScript that Pulumi's engine makes of our schema, and the compiler's word on programs that use it.

Needs `pulumi` with its language host for Node.js, and `tsc`, on PATH; beside `tsc` @pulumi/pulumi, @pulumi/kubernetes
and @types/node. Other SDKs, whose resources ours hand on, are stood in for by a declaration each, with those resources
and nothing else.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.hosting.generator import generate, named

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
    sdk = generate(schema, "nodejs", folder)
    packages = folder / "node_modules"
    for package in _BESIDE:
        (packages / package).parent.mkdir(parents=True, exist_ok=True)
        (packages / package).symlink_to(modules() / package)
    (packages / "@pulumi" / "rdma-cluster").symlink_to(sdk)
    for (package, _), tokens in named(schema).items():
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


def _declared(tokens: set[str]) -> str:
    """The classes of resources, for the compiler."""
    lines = ['import * as pulumi from "@pulumi/pulumi";', "export class Provider extends pulumi.ProviderResource {}"]
    for token in sorted(tokens):
        _, module, name = token.split(":")
        of = module.partition("/")[0]
        lines.append(f"export namespace {of} {{ class {name} extends pulumi.CustomResource {{}} }}")
    return "\n".join(lines) + "\n"
