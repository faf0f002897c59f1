"""A manager cluster learns of its workers by the real engine's stack references."""

from pathlib import Path

from pulumi_offline.project import Settings
from rdma_rehearsal.clock import Clock
from rdma_rehearsal.engine import Engine, resources
from rdma_rehearsal.faults import FaultPlan
from rdma_rehearsal.inventory import Inventory
from rdma_rehearsal.serve import serving
from rdma_rehearsal.timeline import Log

GPUS = 32
TOKEN = "not-to-be-read"
WORKER = f"""\
import json
import pulumi

kubeconfig = {{
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [{{"name": "c", "cluster": {{"server": "https://10.0.0.1"}}}}],
    "users": [{{"name": "c", "user": {{"token": "{TOKEN}"}}}}],
}}
dispatch = {{"kubeconfig": json.dumps(kubeconfig), "gpus": {{"train": {GPUS}}}}}
pulumi.export("dispatch", pulumi.Output.secret(json.dumps(dispatch)))
"""
MANAGER = """\
import pulumi
import pulumi_kubernetes as k8s
from rdma_cluster.incluster import Queues

dispatch = {
    "manager": "acme",
    "clusters": [{"name": "google", "stack": "organization/worker/google"}],
    "queues": {"train": ["google"]},
}
provider = k8s.Provider("manager", kubeconfig="{}", cluster_identifier="manager")
Queues("manager", {"pools": [], "dispatch": dispatch}, pulumi.ResourceOptions(provider=provider))
"""


def project(folder: Path, name: str, program: str) -> Path:
    """A Pulumi project."""
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text(f"name: {name}\nruntime: python\n")
    (folder / "__main__.py").write_text(program)
    return folder


def test_by_a_stack_reference(tmp_path: Path):
    """Without the worker it says so; then the quota is the worker's, its secret stays one, and nothing changes."""
    of_worker = project(tmp_path / "worker", "worker", WORKER)
    of_manager = project(tmp_path / "manager", "manager", MANAGER)
    clock = Clock()
    clock.instant = True
    with serving(Inventory(tmp_path / "world"), clock, FaultPlan(), Log(clock)) as ports:
        worker = Engine(tmp_path / "a", of_worker, Settings("worker", "google"), ports)
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "state").symlink_to(tmp_path / "a" / "state")
        manager = Engine(tmp_path / "b", of_manager, Settings("manager", "dev"), ports)

        early = manager.run("up", "--yes", "--skip-preview")
        assert early.code != 0 and "dispatch" in early.text, early.text

        for engine in (worker, manager):
            ran = engine.run("up", "--yes", "--skip-preview")
            assert ran.code == 0, ran.text
        state = manager.exported()
        assert TOKEN not in state
        queues = [each["inputs"]["spec"] for each in resources(state) if "ClusterQueue" in each["type"]]
        (resource,) = queues[0]["resourceGroups"][0]["flavors"][0]["resources"]
        assert (resource["name"], int(resource["nominalQuota"])) == ("nvidia.com/gpu", GPUS)

        ran = manager.run("preview", "--expect-no-changes")
        assert ran.code == 0, ran.text
        ran = manager.run("destroy", "--yes", "--skip-preview")
        assert ran.code == 0, ran.text
