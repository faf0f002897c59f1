"""The plugin of a provider: where it is, and a process of it."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from ...errors import InputError, Refused
from ..controlplane.processes import end, spawn
from .record import RealProvider


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
