"""Options of a whole under the engine: what it protects, keeps, renames and transforms."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rdma_rehearsal.engine import Engine, resources
from rdma_rehearsal.inventory import Inventory
from tests.rehearsal.stages import FIRST, living, settings_of, up, with_program

PROGRAM = """
import runpy
from pathlib import Path

import pulumi


def init(self, type_, name, props=None, opts=None, *others):
    if type_.endswith("RdmaCluster"):
        opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(%s))
    made(self, type_, name, props, opts, *others)


def tagged(args):
    if args.type_ != "aws:ec2/vpc:Vpc":
        return None
    return pulumi.ResourceTransformResult({**args.props, "tags": {**args.props["tags"], "team": "a"}}, args.opts)


team = pulumi.ComponentResource("my:index:Team", "team")
made = pulumi.ComponentResource.__init__
pulumi.ComponentResource.__init__ = init
runpy.run_path(str(Path(__file__).resolve().parent / "ours.py"), run_name="__main__")
"""
"""The project's own program, with options for the whole that its stack makes."""
TAKEN = (
    ("acceptance.rerun=again",),
    ("acceptance.enabled=false",),
    (),
    ("claims.namespaces=[default, team-a]",),
    ("queues={enabled: true}",),
    ("pools[0].labels={team: a}",),
    ("pools[0].nodes=3",),
    (),
)
"""Changes one after the other, each from the one before."""
OF_VMS = (*TAKEN[:3], ("pools[0].nodes=3",))
"""On plain machines, where one node less is a machine that would go."""


@contextmanager
def running(stack: str, options: str, folder: Path) -> Generator[tuple[Engine, Inventory]]:
    """An engine whose program gives the whole some options."""
    with living(with_program(PROGRAM % options, folder / "root"), settings_of(stack), folder) as both:
        yield both


def names(engine: Engine, protected: bool) -> set[str]:
    """Names of the resources that are protected, or are not."""
    return {each["urn"] for each in resources(engine.exported()) if bool(each.get("protect")) is protected}


@pytest.mark.parametrize("stack", FIRST)
def test_a_protected_whole_changes(stack: str, tmp_path: Path):
    """Tests, claims, queues, labels and numbers of nodes; a pool that would go is asked about first."""
    with running(stack, "protect=True", tmp_path) as (engine, inventory):
        assert up(engine).code == 0
        kept = names(engine, protected=True)
        assert kept and not [each for each in kept if "kubernetes:" in each.split("::")[2]]
        for change in OF_VMS if stack == "gce" else TAKEN:
            engine.configure(settings_of(stack, *change))
            ran = up(engine)
            assert ran.code == 0, (change, ran.errors)
        there = inventory.snapshot()

        engine.configure(settings_of(stack, "pools[0].name=other"))
        ran = engine.run("preview")
        assert ran.code and "protect" in ran.text, ran.text
        assert engine.run("destroy", "--yes").code
        assert inventory.snapshot() == there


@pytest.mark.parametrize("stack", FIRST)
def test_a_whole_that_is_retained_leaves_everything(stack: str, tmp_path: Path):
    """`retain_on_delete` reaches every resource: `destroy` forgets them, and none is deleted."""
    with running(stack, "retain_on_delete=True", tmp_path) as (engine, inventory):
        assert up(engine).code == 0
        there = inventory.snapshot()

        assert engine.run("destroy", "--yes", "--skip-preview").code == 0
        assert resources(engine.exported()) == []
        assert inventory.snapshot() == there


def test_a_whole_that_moves_stays(tmp_path: Path):
    """Below a component of the user's own: with an alias of the whole, all that it made is known where it is now."""
    with running("eks", "", tmp_path) as (engine, inventory):
        assert up(engine).code == 0
        there = inventory.snapshot()

        (tmp_path / "root" / "__main__.py").write_text(
            PROGRAM % "parent=team, aliases=[pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE)]"
        )
        ran = up(engine)

        assert ran.code == 0, ran.text
        assert {"my:index:Team" in each["urn"] for each in resources(engine.exported()) if each["custom"]} == {True}
        assert inventory.snapshot() == there


def test_a_renamed_whole_replaces_nothing(tmp_path: Path):
    """With an alias of its old name and the cluster's name written down, its children change in place at the most."""
    with running("eks", "", tmp_path) as (engine, _):
        engine.configure(settings_of("eks", "kubernetes.name=eks"))
        assert up(engine).code == 0

        renamed = PROGRAM % "aliases=[pulumi.Alias(name='eks')]"
        (tmp_path / "root" / "__main__.py").write_text(
            renamed.replace("team =", "pulumi.get_stack = lambda: 'new'\nteam =")
        )
        ran = up(engine)

        assert ran.code == 0, ran.text
        assert "replaced" not in ran.text and "deleted" not in ran.text and "created" not in ran.text, ran.text
        assert {each["urn"].rpartition("::")[2] for each in resources(engine.exported())} >= {"new", "new-nodes"}


OF_WORKLOADS = """
import runpy
from pathlib import Path

import pulumi
import pulumi_kubernetes as k8s
from rdma_cluster.eks import EksRdmaCluster

wholes, show = [], EksRdmaCluster.show
EksRdmaCluster.show = lambda self, *args: (wholes.append(self), show(self, *args))
runpy.run_path(str(Path(__file__).resolve().parent / "ours.py"), run_name="__main__")
claim = wholes[0].workloads["p5"]["claimTemplates"][0]
k8s.core.v1.ConfigMap("mine", data={"claim": claim}, opts=pulumi.ResourceOptions(provider=wholes[0].provider))
"""


def test_what_is_made_from_workloads_waits_for_the_proof(tmp_path: Path):
    """A preview knows it; the engine makes it last, deletes it first, and sees no change in it."""
    with living(with_program(OF_WORKLOADS, tmp_path / "root"), settings_of("eks"), tmp_path) as (engine, _):
        ran = engine.run("preview", "--diff")
        assert ran.code == 0 and 'claim: "p5.48xlarge-groups-1x4-1"' in ran.text, ran.text
        assert up(engine).code == 0

        state = {each["urn"]: each for each in resources(engine.exported())}
        (mine,) = (each for urn, each in state.items() if urn.endswith("::mine"))
        assert {"aws:eks/nodeGroup:NodeGroup", "kubernetes:batch/v1:Job", "kubernetes:helm.sh/v3:Release"} <= {
            state[urn]["type"] for urn in mine["propertyDependencies"]["data"]
        }
        assert list(state)[-1] == mine["urn"]
        assert engine.run("preview", "--expect-no-changes").code == 0
        assert engine.run("destroy", "--yes", "--skip-preview").code == 0


def test_a_login_to_mirrors_is_encrypted_in_the_state(tmp_path: Path):
    """And where the engine prints what it does."""
    login = "pullSecret={auths: {mirror.example: {username: robot, password: hunter2}}}"
    with running("eks", "", tmp_path) as (engine, _):
        engine.configure(settings_of("eks", login))
        ran = up(engine)

        assert ran.code == 0, ran.text
        assert "rdma-cluster-pull" in engine.exported() and "hunter2" not in engine.exported() + ran.text


def test_transforms_of_a_whole_reach_its_resources(tmp_path: Path):
    """The engine asks them for each."""
    with running("eks", "transforms=[tagged]", tmp_path) as (engine, _):
        assert up(engine).code == 0

        (vpc,) = (each for each in resources(engine.exported()) if each["type"] == "aws:ec2/vpc:Vpc")
        assert vpc["inputs"]["tags"] == {"Name": "eks", "team": "a"}
