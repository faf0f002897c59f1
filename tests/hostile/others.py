"""Clusters and registries of other people, whose every word acts."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rdma_cluster.conform.snapshot import FORM
from rdma_cluster.supply.fetched import Fetched
from rdma_cluster.supply.lock import Locked
from tests.readiness.played import prover


def cluster(acts: str) -> dict[str, Any]:
    """What a cluster holds: a node whose every word acts."""
    proof = {"at": 1_700_000_000, "by": acts, "boot": acts, "fingerprint": acts, "beside": [acts]}
    node = {
        "metadata": {"name": acts, "uid": "u", "labels": {"pool": acts}},
        "status": {
            "nodeInfo": {"bootID": acts},
            "conditions": [{"type": "RdmaFabricProven", "status": "False", "message": acts}],
        },
    }
    node["metadata"]["annotations"] = {"rdma-cluster/proof": json.dumps(proof)}
    return prover(node)


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
