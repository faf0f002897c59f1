"""Where etcd and the API server are on this machine."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from ...faults import Fault, Refused

HOW_TO_GET_THEM = (
    "no etcd and kube-apiserver on PATH, nor built by `make e2e`; https://github.com/etcd-io/etcd/releases and "
    "https://kubernetes.io/releases/download have them, or name the kubeconfig of an empty cluster: "
    "--control-plane KUBECONFIG"
)


class Programs(NamedTuple):
    """The two that make an API server."""

    etcd: Path
    api_server: Path


def cache_folder() -> Path:
    """Where `make e2e` keeps what it builds."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "rdma-cluster" / "controlplane"


def find_programs(minor: str) -> Programs:
    """Those on PATH; else those that `make e2e` built, of ``minor`` (``1.35``) or of the newest that there is.

    Raises ``Refused``.
    """
    on_path = [shutil.which(each) for each in ("etcd", "kube-apiserver")]
    if all(on_path):
        return Programs(*(Path(str(each)) for each in on_path))
    etcd = [each for each in cache_folder().glob("etcd-*/server") if ".partial" not in each.parts[-2]]
    built = [each for each in cache_folder().glob("kubernetes-*/kube-apiserver") if ".partial" not in each.parts[-2]]
    if not etcd or not built:
        raise Refused([Fault(("--control-plane",), HOW_TO_GET_THEM)])

    def preferred(program: Path) -> tuple[bool, int, float]:
        release = program.parent.name.split("-")[1]
        return release == minor, int(release.partition(".")[2]), program.stat().st_mtime

    return Programs(max(etcd, key=lambda each: each.stat().st_mtime), max(built, key=preferred))


def minor_of(api_server: Path) -> str:
    """Its release: ``1.36``."""
    version = subprocess.run([api_server, "--version"], capture_output=True, text=True).stdout
    minor = re.search(r"v(\d+\.\d+)", version)
    return minor[1] if minor else ""
