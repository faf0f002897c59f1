"""How long the command takes on each stack, against an empty process and against the SDK's own imports."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .processes import ratios

COMMAND = str(Path(sys.executable).with_name("rdma-cluster"))
STACKS = ("gke", "eks")
GOALS = {"machines": "<= 20", **{f"plan {stack}": "<= 12" for stack in STACKS}, "preview gke": "<= 120"}


_IMPORTS = "import sys, importlib\nfor name in sys.argv[1:]: getattr(importlib.import_module(name), 'loads', None)"
"""Imports the packages it is given, and asks each for something, since an SDK's are loaded only then."""


def sdk_modules(stack: str) -> list[str]:
    """The packages of Pulumi and its SDKs that a preview of a stack loads."""
    code = (
        "import json, sys, io, contextlib\n"
        "from rdma_cluster.cli.app import run\n"
        f"with contextlib.redirect_stdout(io.StringIO()): run(['preview', {stack!r}, '--json'])\n"
        # An SDK's packages stand in sys.modules before they are loaded; to ask one for anything would load it.
        "json.dump(sorted(name for name, module in sys.modules.items() if name.split('.')[0].startswith('pulumi') "
        "and type(module) is type(sys) and hasattr(module, '__path__')), sys.stdout)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def run(rounds: int = 7, stacks: Sequence[str] = STACKS) -> None:
    """Print the ratios beside their goals."""
    commands = {"machines": [COMMAND, "machines"]}
    for stack in stacks:
        commands[f"plan {stack}"] = [COMMAND, "plan", stack]
        commands[f"preview {stack}"] = [COMMAND, "preview", stack]
        commands[f"SDK imports of {stack}"] = [sys.executable, "-c", _IMPORTS, *sdk_modules(stack)]
    times = ratios(commands, rounds)
    print(f"{'process':<24}{'seconds':>9}{'x empty':>9}   goal")
    for name, (seconds, ratio) in times.items():
        print(f"{name:<24}{seconds:>9.3f}{ratio:>9.1f}   {GOALS.get(name, '')}".rstrip())
    for stack in stacks:
        over = times[f"preview {stack}"][0] / times[f"SDK imports of {stack}"][0]
        print(f"preview {stack} over a process that only imports the same SDK modules: {over:.2f}   goal <= 0.8")
