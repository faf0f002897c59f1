"""The `pulumi` on PATH, in a folder of its own: no login, no network, and simulated clouds in place of providers."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import yaml
from pulumi_offline.errors import InputError, Refused
from pulumi_offline.project import Settings, stack_folder
from rdma_cluster.base.config import value
from .controlplane.processes import end

HOW_TO_GET_IT = (
    "there is no `pulumi` on PATH, and a rehearsal runs the real engine; it is one download without an account: "
    "https://www.pulumi.com/docs/iac/download-install/"
)
KEPT = ("HOME", "LANG", "LC_ALL", "PATH", "PYTHONPATH", "SYSTEMROOT", "TEMP", "TMPDIR", "VIRTUAL_ENV")
"""Variables of the environment that an engine gets: no token, no credentials, no proxy."""


def found() -> str:
    """The engine's program. Raises ``Refused`` where there is none."""
    program = shutil.which("pulumi")
    if program is None:
        raise Refused([InputError((), HOW_TO_GET_IT)])
    return program


def kept_environment() -> dict[str, str]:
    """The variables that an engine and its plugins get."""
    return {key: os.environ[key] for key in KEPT if key in os.environ}


@dataclass(frozen=True)
class Ran:
    """How one command ended."""

    command: str
    code: int
    text: str
    seconds: float

    @property
    def errors(self) -> list[str]:
        """The errors, each with its resource; of a program that fails, its exception."""
        lines = [line.strip() for line in self.text.partition("Diagnostics:\n")[2].splitlines()]
        errors, resource = [], ""
        for at, line in enumerate(lines):
            if line.startswith("Traceback"):
                errors.append(lines[: lines.index("", at)][-1])
            elif re.fullmatch(r"\S+ \(.+\):", line):
                resource = line.removesuffix(":")
            elif line.startswith("error:") and "unhandled exception" not in line:
                # Some errors continue in the next line.
                words = lines[at + 1] if line.endswith("occurred:") else line.removeprefix("error:")
                errors.append(f"{resource}: {words.strip(' *')}")
        # The engine ends a program once something else has failed.
        errors = [each for each in errors if each != "KeyboardInterrupt"]
        return errors or [line.strip() for line in self.text.splitlines() if "error:" in line]


class Engine:
    """One project with one stack in ``folder``."""

    def __init__(  # one parameter for each thing that a command needs
        self,
        folder: Path,
        root: Path,
        settings: Settings,
        ports: Mapping[str, int],
        pythons: Sequence[str] = (sys.executable,),
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        """``pythons`` run the program in turn; ``ended`` is called after each command."""
        self._program, self._ended = found(), ended
        self._pythons = cycle(pythons)
        self._stack, self._root = settings.stack, root
        self._project = folder / "project"
        self._stacks = self._project / stack_folder(root).relative_to(root)
        self._stack_file = self._stacks / f"Pulumi.{self._stack}.yaml"
        self._environment = {
            **kept_environment(),
            "PULUMI_BACKEND_URL": (folder / "state").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "rehearsal",
            "PULUMI_DEBUG_PROVIDERS": ",".join(f"{package}:{port}" for package, port in ports.items()),
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        }
        (folder / "state").mkdir(parents=True, exist_ok=True)  # or a link to that of another project
        # The engine logs all that it does, a tenth of what a command takes, and has no switch for it; without a folder
        # it does without.
        (folder / "home").mkdir()
        (folder / "home" / "logs").touch()
        self._copy_project()
        self.run("stack", "init", self._stack)
        self._salt = yaml.safe_load(self._stack_file.read_text())["encryptionsalt"]
        self.configure(settings)

    def configure(self, settings: Settings) -> None:
        """The stack's settings from now on."""
        own = {key: value(text) for key, text in settings.config.items() if not key.startswith("pulumi:")}
        self._stack_file.write_text(yaml.safe_dump({"encryptionsalt": self._salt, "config": own}))

    def run(self, *words: str) -> Ran:
        """One command, to its end."""
        started = time.monotonic()
        stack = [] if words[:2] == ("stack", "init") else ["--stack", self._stack]
        with subprocess.Popen(
            [self._program, *words, *stack, "--non-interactive", "--color", "never"],
            cwd=self._project,
            env={**self._environment, "PULUMI_PYTHON_CMD": next(self._pythons)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as engine:
            try:
                out, errors = engine.communicate()
            except BaseException:
                end(engine)  # with its language host, which would stay behind
                raise
            finally:
                self._ended()
        return Ran(words[0], engine.returncode, out + errors, time.monotonic() - started)

    def exported(self) -> str:
        """The state as JSON, with secrets as the engine keeps them."""
        return self.run("stack", "export").text

    def restore(self, exported: str) -> None:
        """Import a state that was exported before."""
        file = self._project / "exported.json"
        file.write_text(exported)
        self.run("stack", "import", "--file", str(file))

    def _copy_project(self) -> None:
        """The project's program by links, with a Pulumi.yaml and settings of our own."""
        self._stacks.mkdir(parents=True)
        for entry in self._root.iterdir():
            # The engine writes into stack files, and a link would be the user's own.
            if not entry.name.startswith("Pulumi.") and entry != stack_folder(self._root):
                (self._project / entry.name).symlink_to(entry)
        for entry in stack_folder(self._root).iterdir():
            target = self._stacks / entry.name
            if not entry.name.startswith("Pulumi.") and not target.exists():
                target.symlink_to(entry)
        described = yaml.safe_load((self._root / "Pulumi.yaml").read_text())
        # The interpreter that runs this has what the program needs, whatever runtime the project names.
        (self._project / "Pulumi.yaml").write_text(yaml.safe_dump({**described, "runtime": {"name": "python"}}))


def resources(exported: str) -> list[dict[str, Any]]:
    """The resources of a state."""
    return json.loads(exported)["deployment"].get("resources") or []
