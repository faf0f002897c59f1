"""The acceptance test's pods without a cluster: their own commands, environment and files, under a folder.

What the scripts call from the image is played by small programs on PATH; absolute paths are replaced by text.
"""

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_SSH = """#!/bin/bash
# Answers for the pods that are there, with the name of their node.
while [ "$1" != cat ]; do host=$1; shift; done
[ -e "$ROOT/nodes/$host" ] || { echo "ssh: connect to host $host: Connection timed out" >&2; exit 255; }
exec cat "$ROOT/nodes/$host"
"""

_MPIRUN = """#!/bin/bash
# Prints the log that was left for these two pods, and complains of a node that is in two tests at once.
echo "$@" >> "$ROOT/mpirun.calls"
env | grep '^OMPI_' >> "$ROOT/mpirun.env"
while [ "$1" != --host ]; do shift; done
IFS=:, read -r one _ two _ <<< "$2"
for host in "$one" "$two"; do
  mkdir "$ROOT/busy/$host" || echo "$host is busy" >> "$ROOT/overlaps"
done
log="$ROOT/logs/${one%%.*},${two%%.*}"
[[ "$*" =~ ([a-z_]+)_perf ]] && [ -e "$log,${BASH_REMATCH[1]}" ] && log="$log,${BASH_REMATCH[1]}"
cat "$log"
if [ -e "$log.stuck" ]; then trap '' TERM; while :; do sleep 0.1; done; fi
sleep 0.05
rmdir "$ROOT/busy/$one" "$ROOT/busy/$two"
exit "$(cat "$log.status" 2>/dev/null || echo 0)"
"""

SLEEP = f"""#!/bin/sh
# Whoever asks again after a while asks at once; deadlines are the clock's.
case $1 in infinity) ;; *) set -- 0.05 ;; esac
exec {shutil.which("sleep")} "$1"
"""

_FOLDERS = ("results", "opt/rdma-cluster", "expect", "tmp", "sbin", "usr/sbin", "usr/local/gib", "run", "scripts")
_PATH = re.compile(rf"""(?<![\w./}}-])/({"|".join(_FOLDERS)}|dev/termination-log)(?=[/\s"';)]|$)""")


@dataclass
class Ended:
    """How a container ended."""

    code: int
    out: str
    message: str = ""
    """Its termination message."""


@dataclass
class Sandbox:
    """One pod that leads, and what it meets."""

    root: Path
    files: Mapping[str, str]
    expectation: str
    path: str = field(init=False)

    def __post_init__(self) -> None:
        for folder in (*_FOLDERS, "usr/local/gib/scripts", "dev", "bin", "nodes", "logs", "busy"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            (self.root / "opt/rdma-cluster" / name).write_text(self.here(text) if name.endswith(".sh") else text)
        (self.root / "expect/expectation.json").write_text(self.expectation)
        self.path = f"{self.root}/bin:{os.environ['PATH']}"
        self.program("bin/ssh", _SSH)
        self.program("bin/mpirun", _MPIRUN)
        self.program("bin/sleep", SLEEP)
        self.program("bin/python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        self.program("sbin/ldconfig", "#!/bin/sh\n")
        self.program("scripts/container_entry.sh", '#!/bin/sh\necho "$@" > "$ROOT/daemon"\n')
        self.program("usr/local/gib/scripts/set_nccl_env.sh", 'export NCCL_FROM_GIB="$NOT_SET"\n')

    def here(self, text: str) -> str:
        """``text`` with the absolute paths that pods have moved below the folder."""
        return _PATH.sub(rf"{self.root}/\1", text).replace("timeout -k 20", "timeout -k 0.2")

    def program(self, path: str, text: str) -> None:
        """Something that can be called."""
        file = self.root / path
        file.write_text(text)
        file.chmod(file.stat().st_mode | stat.S_IEXEC)

    def change(self, path: str, old: str, new: str) -> None:
        """Make something that can be called do otherwise."""
        text = (self.root / path).read_text()
        assert old in text
        self.program(path, text.replace(old, new))

    def node(self, host: str, node: str) -> None:
        """A pod that answers, and the node that it is on."""
        (self.root / "nodes" / host).write_text(f"{node}\n")

    def log(self, one: str, two: str, text: str, *, collective: str = "", status: int = 0, stuck: bool = False) -> None:
        """What mpirun prints for two pods, of one collective or of any, and how it ends."""
        path = self.root / "logs" / ",".join(filter(None, (one, two, collective)))
        path.write_text(text)
        if stuck:
            Path(f"{path}.stuck").touch()
        Path(f"{path}.status").write_text(str(status))

    def run(self, container: Mapping[str, Any], **more: str) -> Ended:
        """A container's own command in its own environment; ``more`` replaces variables of it."""
        env = {each["name"]: self.here(each["value"]) for each in container["env"] if "value" in each}
        env |= {"PATH": self.path, "ROOT": str(self.root), "NODE_NAME": "node-0", "LC_ALL": "C.UTF-8"} | more
        command = [container["command"][0], *(self.here(word) for word in container["command"][1:])]
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30)
        left = self.root / "dev/termination-log"
        return Ended(done.returncode, done.stdout, left.read_text() if left.exists() else "")

    def lines(self, path: str) -> list[str]:
        """The lines of a file below the folder; none where it is not there."""
        file = self.root / path
        return file.read_text().splitlines() if file.exists() else []
