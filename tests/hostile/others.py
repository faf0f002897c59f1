"""Clusters and registries of other people, whose every word acts."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from rdma_cluster.conform.snapshot import FORM
from rdma_cluster.supply.fetched import Fetched
from rdma_cluster.supply.lock import Locked

KUBECTL = """\
#!/bin/sh
case "$1 $2" in
  --kubeconfig=*) /bin/cat "{folder}/said" >&2; exit 1 ;;
  "get configmap" | "get nodes" | "get jobs") /bin/cat "{folder}/$2.json" ;;
esac
"""


def kubectl(folder: Path, acts: str) -> None:
    """A ``kubectl`` in the folder: its nodes act; with a kubeconfig it only complains, and not in UTF-8."""
    proof = {"at": 1_700_000_000, "by": acts, "boot": acts, "fingerprint": acts, "beside": [acts]}
    node = {
        "metadata": {"name": acts, "uid": "u", "labels": {"pool": acts}},
        "status": {
            "nodeInfo": {"bootID": acts},
            "conditions": [{"type": "RdmaFabricProven", "status": "False", "message": acts}],
        },
    }
    node["metadata"]["annotations"] = {"rdma-cluster/proof": json.dumps(proof)}
    config = {"poolLabel": "pool", "pools": [{"name": "a", "template": {"test": {"kind": "Job"}}}]}
    held = {"configmap": {"data": {"config.json": json.dumps(config)}}, "nodes": {"items": [node]}}
    for kind, answer in {**held, "jobs": {"items": []}}.items():
        (folder / f"{kind}.json").write_text(json.dumps(answer))
    (folder / "said").write_bytes(acts.encode(errors="replace") + b"\xff\xfe")
    (folder / "kubectl").write_text(KUBECTL.format(folder=folder))
    (folder / "kubectl").chmod(0o755)


def kubeconfig(folder: Path, acts: str) -> str:
    """A kubeconfig whose cluster has no address that can be."""
    named = {"name": acts}
    config = {
        "current-context": acts,
        "contexts": [{**named, "context": {"cluster": acts, "user": acts}}],
        "clusters": [{**named, "cluster": {"server": f"http://127.0.0.1:1/{acts}"}}],
        "users": [{**named, "user": {"token": acts}}],
    }
    (folder / "kubeconfig").write_text(json.dumps(config))
    return str(folder / "kubeconfig")


def snapshot(folder: Path, acts: str) -> str:
    """A snapshot of the right form, with such a text wherever it may hold one."""
    node = {
        "pool": 0,
        "count": 2,
        "machine": acts,
        "kubelet": acts,
        "taints": [{"key": acts, "effect": acts}],
        "labels": {acts: acts},
        "allocatable": {"nvidia.com/gpu": acts},
        "devices": [{"driver": acts, "name": acts, "strings": {acts: acts}}],
        "gpus": [{"pci": acts, "root": acts, "model": acts}],
        "nics": [{"pci": acts, "id": acts, "interface": acts, "rdma": acts, "firmware": acts}],
        "driver": acts,
        "parameters": {acts: acts},
    }
    seen = {"form": FORM, "made_by": acts, "kubernetes": acts, "nodes": [node], "templates": [acts], "classes": [acts]}
    seen["daemons"] = [{"name": acts, "version": acts, "wanted": 2, "ready": 1}]
    (folder / "snapshot.json").write_text(json.dumps(seen))
    return str(folder / "snapshot.json")


def refusing(acts: str) -> Callable[[Iterable[Fetched]], dict[str, Locked | str]]:
    """Registries that have nothing, as ``registry.ask`` tells it, and say so in such words."""

    def ask(wanted: Iterable[Fetched]) -> dict[str, Locked | str]:
        return dict.fromkeys((each.reference for each in wanted), acts)

    return ask
