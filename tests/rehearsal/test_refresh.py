"""AKS answers with all pools of a cluster, in the order of their names: ours, the user's, and the system pool."""

from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any

from rdma_cluster.cli.app import run
from rdma_rehearsal.engine import Engine, resources
from rdma_rehearsal.inventory import Inventory, Thing
from tests.rehearsal.stages import living, settings_of, up
from tests.stacks import ROOT

_POOL, _CLUSTER = (f"azure-native:containerservice:{each}" for each in ("AgentPool", "ManagedCluster"))
_NO_CHANGE = ("--yes", "--skip-preview", "--expect-no-changes")


def of_type(inventory: Inventory, token: str) -> Thing:
    """The only resource of a type."""
    (found,) = (each for each in inventory if each.token == token)
    return found


def of_somebody(pool: Thing, name: str) -> Thing:
    """A pool that somebody made by hand."""
    own = {"id": name, "label": name, "name": name, "path": (*pool.path[:-1], name)}
    return replace(pool, **own, inputs={**pool.inputs, "agentPoolName": name, "count": 7, "vmSize": "Standard_D2s_v5"})


def cluster_in(engine: Engine) -> dict[str, Any]:
    """The cluster as the state has it."""
    (found,) = (each for each in resources(engine.exported()) if each["type"] == _CLUSTER)
    return found


def test_pools_beside_ours_change_nothing(tmp_path: Path):
    """A refresh and `up --refresh` have nothing to do, and a change of the cluster leaves each pool as it is."""
    with living(ROOT, settings_of("aks"), tmp_path) as (engine, inventory):
        assert up(engine).code == 0
        pool = of_type(inventory, _POOL)
        for name in ("batch", "web"):
            inventory.put(of_somebody(pool, name))

        for verb, *words in (("refresh",), ("up",), ("up", "--refresh")):
            ran = engine.run(verb, *words, *_NO_CHANGE)
            assert ran.code == 0, (verb, words, ran.text)
        seen = [each["name"] for each in cluster_in(engine)["outputs"]["agentPoolProfiles"]]
        assert seen == ["batch", "h100", "system", "web"]
        (tmp_path / "state.json").write_text(engine.exported())
        with chdir(ROOT):
            assert run(["drift", "aks", "--state", str(tmp_path / "state.json")]) == 0

        engine.configure(settings_of("aks", "kubernetes.publicCidrs=[203.0.113.8/32]"))
        ran = engine.run("up", "--yes", "--skip-preview", "--refresh")

        assert ran.code == 0 and "replaced" not in ran.text, ran.text
        sent = {each["name"]: each["count"] for each in of_type(inventory, _CLUSTER).inputs["agentPoolProfiles"]}
        assert sent == {"batch": 7, "h100": 2, "system": 3, "web": 7}


def test_another_machine_of_the_system_pool_makes_the_cluster_anew(tmp_path: Path):
    """AKS changes none in place: a preview says so, after a refresh, too."""
    with living(ROOT, settings_of("aks"), tmp_path) as (engine, _):
        assert up(engine).code == 0
        assert engine.run("refresh", *_NO_CHANGE).code == 0
        engine.configure(settings_of("aks", "kubernetes.systemMachine=Standard_D16s_v5"))

        ran = engine.run("preview")

        assert f"+- {_CLUSTER} aks replace" in ran.text, ran.text
