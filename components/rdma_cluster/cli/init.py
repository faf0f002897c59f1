"""``rdma-cluster init CLOUD``: a project in an empty folder, ready for `plan`, `preview` and `pulumi up`."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

from pulumi_offline.errors import InputError, Refused
from pulumi_offline.visible import visible
from ..base.args import to_camel
from ..base.config import CLOUD
from ..base.reference import Key
from ..common.stack import keys_of, room_of
from .explain import flow
from .options import Verb, cloud_option, option
from .output import as_json
from .requirement import requirement
from .schema import schema_of
from .write_file import write_file

_PROGRAM = '''\
"""GPUs that talk over RDMA, from this stack's configuration."""

import pulumi
from rdma_cluster.{cloud} import {title}RdmaCluster
from rdma_cluster.{cloud}.plan import STACK_KEYS, plan_rdma_cluster_args, summarise
from rdma_cluster.program import configured, reported

plan = configured(plan_rdma_cluster_args, STACK_KEYS)
cluster = {title}RdmaCluster(pulumi.get_stack(), plan.args, plan=plan)

{exports}
pulumi.export("report", reported(plan, cluster.proofs, summarise))
'''

_IGNORED = """\
.venv/
__pycache__/
"""

_PROJECT = """\
name: {name}
description: GPUs that talk over RDMA
runtime:
  name: python
  options:
    toolchain: pip
    virtualenv: .venv
config:
  # Every resource names its provider's project, zone or cluster: a forgotten one is an error, not a surprise.
  pulumi:disable-default-providers:
    value: ["*"]
"""


class Init(Verb):
    """Write the files, and say what comes next. Raises ``Refused`` where another file has the name of one.

    One that is there as it would be written was written by an `init` that was broken off.
    """

    cloud: str = cloud_option()
    folder: Path = option("--folder", "where to write; by default here", default=Path())

    def run(self) -> int:
        cloud, folder = self.cloud, self.folder
        files = project_files(cloud, folder.resolve().name)
        if (folder / ".gitignore").exists():  # the user's own
            del files[".gitignore"]
        existing = [name for name, text in files.items() if _is_another(folder / name, text)]
        if existing:
            reason = "is there already; init writes into an empty folder"
            raise Refused([InputError((str(folder / name),), reason) for name in existing])
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            write_file(folder / name, text)
            print(visible(f"wrote {folder / name}"))
        print(f"\nEdit Pulumi.{cloud}.yaml, then `rdma-cluster plan {cloud}`;", end=" ")
        print("`pulumi up` installs requirements.txt itself.")
        return 0


def _is_another(path: Path, text: str) -> bool:
    if not path.is_file():
        return os.path.lexists(path)
    with path.open("rb") as file:
        return file.read(len(text.encode()) + 1) != text.encode()


def project_files(cloud: str, folder: str) -> dict[str, str]:
    """The text of every file by its name, for a project in a folder of this name."""
    name = re.sub(r"[^a-zA-Z0-9_.-]", "-", folder)[:100] or "cluster"
    exports = "\n".join(f'pulumi.export("{to_camel(name)}", cluster.{name})' for name in room_of(cloud).OUTPUTS)
    return {
        "Pulumi.yaml": _PROJECT.format(name=name),
        f"Pulumi.{cloud}.yaml": "".join(f"{line}\n" for line in _stack_file(cloud)),
        "__main__.py": _PROGRAM.format(cloud=cloud, title=cloud.capitalize(), exports=exports),
        "requirements.txt": f"{requirement(cloud)}\n",
        ".gitignore": _IGNORED,
        f"{cloud}.schema.json": as_json(schema_of(cloud)) + "\n",
    }


def _stack_file(cloud: str) -> Iterator[str]:
    yield f"# yaml-language-server: $schema={cloud}.schema.json"
    yield f"# What a key means: rdma-cluster explain KEY. What this would build: rdma-cluster plan {cloud}."
    yield "config:"
    yield f"  {CLOUD}: {cloud}"
    for key in keys_of(cloud):
        # An optional key with keys below it has an example where the cloud's own stack sets it.
        yield from _lines(key, "  ", key.example if key.required or key.keys else None)


def _lines(key: Key, indent: str, value: Any) -> Iterator[str]:
    """A key with its meaning above it; one without a value as a comment, with its default."""
    words = f"{key.meaning} Default: {key.default}." if key.default else key.meaning
    yield from (f"{indent}# {line}" for line in wrap(words.replace("``", ""), 100, break_on_hyphens=False))
    if value is None:
        yield f"{indent}# {key.written}: {_shown(key)}".rstrip()
    elif not key.keys:
        yield f"{indent}{key.written}: {flow(value)}"
    else:
        yield f"{indent}{key.written}:"
        for item in value if key.many else [value]:
            first = True
            for line in (line for below in key.keys for line in _lines(below, "", item.get(below.written))):
                dash = "- " if key.many and first and not line.startswith("#") else "  "
                first = first and dash == "  "
                yield f"{indent}  {dash if key.many else ''}{line}"


def _shown(key: Key) -> str:
    """What a key that is not set would be set to."""
    if key.keys:
        return f"{{{', '.join(below.written for below in key.keys)}}}"
    if key.example is not None:
        return flow(key.example)
    if plain := re.match(r"``([^`]*)``|(true|false|\d+)\b", key.default or ""):
        return flow(plain[1]) if plain[1] and key.kind == "text" else plain[0].strip("`")
    return key.choices[0].value if key.choices else "true" if key.kind == "true or false" else ""
