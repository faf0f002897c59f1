"""A plain machine without Google: its own scripts, with what they call played by small programs, below a folder.

`docker.py` plays containers; the metadata server is a folder, and so are the other machines.
"""

import os
import stat
import subprocess
import sys
from pathlib import Path

from rdma_cluster.gce.on_machine import script
from rdma_cluster.gce.plan.acceptance import OrderPlan
from rdma_cluster.gce.plan.machine_config import container_words
from rdma_cluster.gce.plan.vms import VmsPlan
from tests.acceptance.sandbox import SLEEP

_CURL = """#!/bin/bash
# The metadata server: a file for each path; what is PUT is kept.
while [ $# != 0 ]; do
  case $1 in
    -X) put=1; shift ;;
    --data-binary) data=${2#@}; shift ;;
    -H | --retry) shift ;;
    http*) path=${1#*/instance/} ;;
  esac
  shift
done
if [ -n "${put:-}" ]; then
  mkdir -p "$ROOT/metadata/$(dirname "$path")"
  cp "$data" "$ROOT/metadata/$path"
elif [ -d "$ROOT/metadata/$path" ]; then
  ls "$ROOT/metadata/$path"
else
  cat "$ROOT/metadata/$path" 2> /dev/null || exit 22
fi
"""

_SSH = """#!/bin/bash
# Other machines that are up answer with their names, and take down what is told to them.
while [ "$1" != cat ] && [ "$1" != touch ]; do host=$1; shift; done
[ -e "$ROOT/up/${host%%.*}" ] || { echo "ssh: connect to host $host: Connection timed out" >&2; exit 255; }
if [ "$1" = touch ]; then touch "$ROOT/up/${host%%.*}.over"; else echo "${host%%.*}"; fi
"""

_MPIRUN = """#!/bin/bash
# Prints the log that was left for a run with the plugin, or without it.
echo "$LD_LIBRARY_PATH $*" >> "$ROOT/mpirun.calls"
case $LD_LIBRARY_PATH in */tcpx/*) cat "$ROOT/logs/with" ;; *) cat "$ROOT/logs/without" ;; esac
"""

_SAID = '#!/bin/bash\necho "$(basename "$0") $*" >> "$ROOT/calls"\n'
DOCKER = Path(__file__).with_name("docker.py")


class FakeMachine:
    """One machine of a plan."""

    def __init__(self, root: Path, plan: VmsPlan, index: int) -> None:
        self.root = root
        self.plan = plan
        self.name = f"{plan.members}{index}"
        for folder in ("bin", "metadata/attributes", "up", "logs", "etc/rdma-cluster", "state"):
            (root / folder).mkdir(parents=True)
        self.write("metadata/name", self.name)
        self.write("metadata/hostname", f"{self.name}.us-central1-a.c.my-project.internal")
        for nic in range(5):
            self.write(f"metadata/network-interfaces/{nic}/ip", f"10.0.{nic}.2")
            self.write(f"metadata/network-interfaces/{nic}/subnetmask", "255.255.255.0")
        if plan.order is not None:
            self.order(plan.order, leads=index == 0)
        self.write("etc/rdma-cluster/container", "".join(f"{word}\n" for word in container_words(plan.start)))
        for i in range(plan.nodes):
            self.write(f"up/{plan.members}{i}", "")
        for name, text in (("curl", _CURL), ("ssh", _SSH), ("mpirun", _MPIRUN), ("sleep", SLEEP)):
            self.program(name, text)
        self.program("docker", f'#!/bin/sh\nexec "{sys.executable}" -S "{DOCKER}" "$@"\n')
        self.program("python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        self.program("service", _SAID)

    def order(self, order: OrderPlan, leads: bool = True) -> None:
        """What the metadata says."""
        self.write("metadata/attributes/nccl-acceptance", order.order)
        self.write("metadata/attributes/nccl-acceptance-script", self.here(script("acceptance.sh")))
        self.write("metadata/attributes/nccl-acceptance-files", order.files)
        if leads:
            for key, text in order.judge_files.items():
                self.write(f"metadata/attributes/{key}", text)

    def here(self, text: str) -> str:
        """A script with the folders of this machine."""
        return text.replace("/etc/rdma-cluster", str(self.root / "etc/rdma-cluster"))

    def write(self, path: str, text: str) -> None:
        """A file below the folder."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def read(self, path: str) -> str:
        """A file's text; empty where it is not there."""
        file = self.root / path
        return file.read_text() if file.exists() else ""

    def program(self, name: str, text: str = _SAID) -> None:
        """Something that can be called."""
        file = self.root / "bin" / name
        file.write_text(text)
        file.chmod(file.stat().st_mode | stat.S_IEXEC)

    def run(self, name: str, **more: str) -> subprocess.CompletedProcess[str]:
        """A script of the host, in its own words."""
        self.write(f"etc/rdma-cluster/{name}", self.here(script(name)))
        env = {
            "PATH": f"{self.root}/bin:{os.environ['PATH']}",
            "ROOT": str(self.root),
            "HOME": str(self.root / "home"),
            "WORK": str(self.root / "state"),
            "ONCE": "1",
            "AGAIN_SECONDS": "0.01",
            **more,
        }
        return subprocess.run(
            ["bash", str(self.root / "etc/rdma-cluster" / name)], env=env, capture_output=True, text=True, timeout=60
        )
