"""An existing cluster that was made anew under its name, asked of the engine, beginning with a state of 0.1.0."""

import re
import shlex
from pathlib import Path

import pytest
from pulumi_offline.graph import type_and_name
from pulumi_offline.invoke_results import KNOWN
from rdma_rehearsal.engine import Engine, Ran, resources
from tests.eks.variants import CLUSTER, NETWORK
from tests.rehearsal.stages import living, settings_of, up
from tests.rehearsal.test_released import tree_of
from tests.stacks import ROOT

RECORD = ("pulumi:index:Stash", "eks")
PROOF = {("kubernetes:core/v1:ConfigMap", "eks"), ("kubernetes:batch/v1:Job", "eks-p5")} | {
    ("kubernetes:kubeflow.org/v2beta1:MPIJob", "eks-p5")
}


def ids(engine: Engine) -> dict[tuple[str, str], str]:
    """The ids of all that the state has, but of default providers."""
    found = {type_and_name(each["urn"]): each["id"] for each in resources(engine.exported()) if "id" in each}
    return {each: id_ for each, id_ in found.items() if each[1] != "default"}


def done(ran: Ran) -> None:
    """It went well."""
    assert ran.code == 0, ran.text


def test_another_cluster_is_refused_and_installed_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A state of 0.1.0 takes a record, and loses nothing by it but proofs; the commands of the refusal do what they
    say; 0.1.0 goes on with what is there."""
    root, old = tmp_path / "root", tree_of("0.1.0", "eks", tmp_path / "old")
    monkeypatch.setenv("PYTHONPATH", str(root / "components"))

    def tree(now: Path, id_: str) -> None:
        root.unlink(missing_ok=True)
        root.symlink_to(now)
        answer = {"identities": [{"oidcs": [{"issuer": f"https://oidc.example/id/{id_}"}]}]}
        monkeypatch.setitem(KNOWN, "aws:eks/getCluster:getCluster", answer)

    tree(old, "A")
    with living(root, settings_of("eks", NETWORK, CLUSTER), tmp_path) as (engine, world):
        done(up(engine))
        made = ids(engine)

        tree(ROOT, "A")
        done(up(engine))
        adopted = ids(engine)
        assert adopted.keys() - made.keys() == {RECORD}
        assert {each for each in made if adopted.get(each) != made[each]} <= PROOF

        tree(ROOT, "B")
        ran = engine.run("preview")
        assert ran.code != 0 and "mine is another cluster" in ran.text
        forget, install = (shlex.split(each) for each in re.findall(r"`pulumi (.+?)`", ran.errors[0]))
        for each in world:
            if each.home[0] == "kubernetes":
                world.remove(each.id)
        done(engine.run(*forget, "--yes"))
        assert not [each for each in ids(engine) if each[0].startswith("kubernetes:")]
        assert ("aws:eks/nodeGroup:NodeGroup", "eks-p5") in ids(engine)
        done(engine.run(*install, "--yes"))
        installed = ids(engine)
        assert installed.keys() == adopted.keys()

        tree(old, "B")
        done(up(engine))
        back = ids(engine)
        assert installed.keys() - back.keys() == {RECORD}
        assert {each for each in back if back[each] != installed.get(each)} <= PROOF
