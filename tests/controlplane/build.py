"""Builds etcd and the Kubernetes servers from their Go modules, once: `python -m tests.controlplane.build`.

`python -m tests.controlplane.build kyverno` builds the program around Kyverno's engine, `... queues` Kueue and the
controllers of what it queues, `... all` everything that `make e2e` runs.

The pins are the go.mod files under go/; pin.py writes those of Kubernetes. What is built lies in a cache outside the
repository, under a name made of the pins, so a changed pin builds anew. That takes minutes; a warm start takes nothing.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from rdma_rehearsal.controlplane.processes import end, spawn
from rdma_rehearsal.controlplane.servers import cache_folder

MODULES = Path(__file__).parent / "go"
KUBERNETES = os.environ.get("CONTROLPLANE_KUBERNETES", "1.36")  # a minor that has a folder under go/
ALL = ("etcd", f"kubernetes-{KUBERNETES}", "queues", "registry", "copying", "helm", "monitoring")
"""What `make e2e` builds, in the order in which it is needed; the first two are servers that every test needs."""
FLAGS = ("-trimpath", "-mod=readonly", "-buildvcs=false")
ENVIRONMENT = {"CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off", "GOTOOLCHAIN": "local"}  # no compiler, no surprises


class BuildError(Exception):
    """The servers cannot be built here; the message says what to do about it."""


def etcd() -> Path:
    """The etcd program. Go names it after its module."""
    return build("etcd") / "server"


def kubernetes() -> Path:
    """The folder with kube-apiserver, kube-controller-manager and kube-scheduler."""
    return build(f"kubernetes-{KUBERNETES}")


def kyverno() -> Path | None:
    """The program around Kyverno's engine, where somebody has built it: that takes longer than all the others."""
    programs = programs_of("kyverno")
    return programs / "kyverno" if programs.exists() else None


def queues() -> Path:
    """The folder with kueue, jobset, mpi, trainer-controller-manager, and LeaderWorkerSet's, which Go names cmd."""
    return build("queues")


def monitoring() -> Path:
    """The folder with promtool and node_exporter."""
    return build("monitoring")


def registry() -> Path:
    """The registry of the distribution project, which Docker Hub and others are built on."""
    return build("registry") / "registry"


def build(name: str) -> Path:
    """The folder with the programs of one module, which are built if nobody has yet."""
    if sys.platform != "linux":
        raise BuildError(
            "a control plane of our own needs Linux; elsewhere name a disposable cluster in KUBECONFIG_E2E"
        )
    module = MODULES / name
    if not module.is_dir():
        known = ", ".join(sorted(path.name for path in MODULES.iterdir()))
        raise BuildError(f"{name}: not a module of {MODULES}, which has {known}; pin.py writes one for another release")
    programs = programs_of(name)
    if not programs.exists():
        cache = cache_folder()
        cache.mkdir(parents=True, exist_ok=True)
        with locked(cache / f"{name}.lock"):
            if not programs.exists():
                compile_tools(module, programs)
    return programs


def module(path: str, within: str) -> Path:
    """The folder of a module at the version that another of ours is built with; it is fetched if need be."""
    command = ["go", "mod", "download", "-json", path]
    done = subprocess.run(command, cwd=MODULES / within, capture_output=True, text=True, env=os.environ | ENVIRONMENT)
    if done.returncode != 0:
        raise BuildError(f"{path}: {done.stderr.strip() or done.stdout.strip()}")
    return Path(json.loads(done.stdout)["Dir"])


def programs_of(name: str) -> Path:
    """Where the programs of a module are, or will be."""
    return cache_folder() / f"{name}-{key(MODULES / name)}"


def key(module: Path) -> str:
    """Changes with whatever changes the programs."""
    files = [module / "go.mod", module / "go.sum", *sorted(module.rglob("*.go"))]
    parts = [*(file.read_bytes() for file in files), *(flag.encode() for flag in FLAGS)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


def compile_tools(module: Path, programs: Path) -> None:
    """Build the module's tools. They appear under their final name all at once."""
    go_mod = (module / "go.mod").read_text()
    require_go(re.search(r"^go (\d+)\.(\d+)", go_mod, re.MULTILINE))
    partial = programs.with_name(programs.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)  # of a build that was cut short
    partial.mkdir()
    print(f"building {module.name} into {programs}; this takes minutes, once", file=sys.stderr, flush=True)
    started = time.monotonic()
    tags = re.search(r"^// tags: (\S+)$", go_mod, re.MULTILINE)
    flags = (*FLAGS, "-tags", tags[1]) if tags else FLAGS
    command = ["go", "build", *flags, "-ldflags", linker_flags(go_mod), "-o", f"{partial}/", "tool"]
    process = spawn(["nice", "-n", "19", *command], cwd=module, env=os.environ | ENVIRONMENT)
    try:
        if process.wait() != 0:
            raise BuildError(f"{module.name}: `go build` failed; its messages stand above")
    finally:
        end(process)
    partial.rename(programs)
    print(f"built {module.name} in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)


def require_go(needed: re.Match | None) -> None:
    """Refuse early, in words, where the compiler is missing or too old."""
    assert needed is not None, "a go.mod without a go line"
    want = (int(needed[1]), int(needed[2]))
    remedy = f"install Go {want[0]}.{want[1]} or later, or name a disposable cluster in KUBECONFIG_E2E"
    if shutil.which("go") is None:
        raise BuildError(f"go: not found on PATH; {remedy}")
    command = ["go", "env", "GOVERSION"]
    answer = subprocess.run(command, capture_output=True, text=True, cwd="/", env=os.environ | ENVIRONMENT).stdout
    have = re.match(r"go(\d+)\.(\d+)", answer)
    if have is None or (int(have[1]), int(have[2])) < want:
        raise BuildError(f"go: {answer.strip() or 'no version'} is too old for the servers; {remedy}")


def linker_flags(go_mod: str) -> str:
    """Strip the programs, and tell Kubernetes its version, which it otherwise takes for v0.0.0."""
    flags = ["-s", "-w"]
    version = re.search(r"k8s\.io/kubernetes (v(\d+)\.(\d+)\.\S+)", go_mod)
    if version:
        names = ("gitVersion", "gitMajor", "gitMinor")
        flags += [f"-X=k8s.io/component-base/version.{name}={version[i]}" for i, name in enumerate(names, 1)]
    return " ".join(flags)


@contextmanager
def locked(path: Path) -> Generator[None]:
    """One builder at a time; the lock goes with the process that holds it."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    try:
        for name in ALL if sys.argv[1:] == ["all"] else sys.argv[1:] or ALL[:2]:
            build(name)
    except BuildError as error:
        raise SystemExit(f"controlplane: {error}") from None
