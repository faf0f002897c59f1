"""What cloud-init does at a node's first boot: it writes the files of ``cloud_init`` and runs the scripts in order.

The node's metadata holds the scripts, so that nothing is fetched from a branch. Oracle's packages come over HTTPS from
a repository that is marked as trusted: it has no signature, and Oracle's own scripts take it so, too
(oci-hpc-oke@61d210a files/oke-ubuntu-cloud-init.sh). Digests of ours would be stale at each release of OKE's:
docs/security.md, Decisions.
"""

import gzip
import json
import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from pulumi_offline.unknowns import known
from ...base.args import Link

FOLDER = "/opt/rdma-cluster"

_RAID_LEVEL = 10  # of the local NVMe disks

_TEXTS = files("rdma_cluster.oke") / "cloud_init"
_KUBELET_ARG = re.compile(r"--[a-z][a-z0-9-]*(=[A-Za-z0-9.,:/_%=-]+)?")
_SSH_KEY = re.compile(r"(ssh-(rsa|ed25519)|ecdsa-sha2-[a-z0-9-]+|sk-[a-z0-9@.-]+) [A-Za-z0-9+/]+=*( .*)?")


@frozen
class FirstBoot:
    """What differs between the first boots of two pools."""

    version: str
    """Kubernetes version without the ``v``."""
    mask_imex: bool
    """Keep the host's own IMEX daemon off, because ComputeDomains run theirs."""
    kubelet_args: tuple[str, ...]


def check_arguments(arguments: list[str], errors: ErrorList) -> None:
    """Arguments of kubelet need no quotes in a shell."""
    for i, argument in enumerate(arguments):
        if not _KUBELET_ARG.fullmatch(argument):
            errors.at(i).add(f"got {argument!r}; write --name=value")


def check_ssh_key(key: Link, errors: ErrorList) -> None:
    """A public key as OpenSSH writes it."""
    if isinstance(key, str) and known(key) and not _SSH_KEY.fullmatch(key.strip()):
        errors.add("no public key of OpenSSH's form; write the one line of a .pub file, e.g. ssh-ed25519 AAAA... me")


def user_data(boot: FirstBoot) -> str:
    """Base64 of a gzipped cloud-config. Equal choices give equal bytes."""
    packed = gzip.compress(cloud_config(boot).encode(), mtime=0)
    # The tenth byte names a system: 3.13 writes another than 3.12, and a Mac may write a third (python/cpython 112346).
    # Another Python would change what nodes are made of.
    return b64encode(packed[:9] + b"\3" + packed[10:]).decode()


def digest(boot: FirstBoot) -> str:
    """Short digest of all that a node runs at its first boot."""
    return sha256(cloud_config(boot).encode()).hexdigest()[:12]


def cloud_config(boot: FirstBoot) -> str:
    """The cloud-config, as JSON: it is YAML with only one way to write a value."""
    join = f"{FOLDER}/bootstrap.sh {boot.version} '{' '.join(boot.kubelet_args)}'"
    if boot.mask_imex:
        join = f"{FOLDER}/mask_imex.sh && {join}"
    # One command: a node whose drivers are not as they should be does not join. One without its local disks does.
    command = f"{FOLDER}/nvme_raid.sh {_RAID_LEVEL}; {join}"
    scripts = ("nvme_raid.sh", "mask_imex.sh", "bootstrap.sh")
    written = [
        # systemd-networkd else removes the routes and rules that Oracle's agent gives each RDMA port.
        _file("/etc/systemd/networkd.conf.d/50-rdma-routes.conf", "networkd.conf"),
        # The default of 8 MiB makes ibv_reg_mr fail in every container.
        _file("/etc/crio/crio.conf.d/50-rdma-memlock.conf", "crio_memlock.conf"),
        # From 1.34 on CRI-O refuses images without a registry in their name.
        _file("/etc/crio/crio.conf.d/51-short-names.conf", "crio_short_names.conf"),
        *(_file(f"{FOLDER}/{name}", name, mode="0755") for name in scripts if name in command),
    ]
    return "#cloud-config\n" + json.dumps({"write_files": written, "runcmd": [["sh", "-c", command]]}) + "\n"


def text(name: str) -> str:
    """A file of ``cloud_init``."""
    return (_TEXTS / name).read_text(encoding="utf-8")


def _file(path: str, name: str, mode: str = "0644") -> dict[str, str]:
    return {"path": path, "content": text(name), "owner": "root:root", "permissions": mode}
