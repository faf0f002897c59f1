"""What only might not work is told where people look: in the command's summary, and by the engine."""

from contextlib import chdir
from logging import WARNING

import pytest
from rdma_cluster.cli.preview import run_program
from rdma_cluster.cli.stack_file import read_stack
from tests.cli.test_words import command
from tests.eks.variants import CLUSTER, NETWORK
from tests.stacks import ROOT


def test_warnings_reach_the_engine(caplog: pytest.LogCaptureFixture):
    """`pulumi preview` and `pulumi up` show what the program logs."""
    with chdir(ROOT), caplog.at_level(WARNING, "pulumi"):
        run_program(*read_stack("gke-a3-ultra", None, ()))

    assert "one preempted spot node stops every job" in caplog.text


def test_warnings_are_told_once():
    """The command has its own line for them."""
    _, out, err = command("preview", "gke-a3-ultra")

    assert " ".join(out.split()).count("one preempted spot node") == 1 and not err


@pytest.mark.parametrize("stack", ["gke", "eks"])
def test_a_minor_that_is_newer_than_ours_is_no_error(stack: str):
    """Clouds add minors more often than we look; an older one than they offer is refused by a case."""
    code, out, _ = command("plan", stack, "--set", "kubernetes.version='1.99'")

    assert code == 0 and "1.99 is newer than" in " ".join(out.split())
    assert "is newer than" not in command("plan", stack)[1]


@pytest.mark.parametrize(("location", "warned"), [("westus", True), ("southcentralus", False)])
def test_a_zone_where_a_location_has_none(location: str, warned: bool):
    """Azure adds zones to old locations, so this is no error."""
    place = ("--set", f"azure-native:location={location}", "--set", "zone='1'")
    code, out, _ = command("plan", "aks", *place)

    assert code == 0 and ("has no availability zones" in " ".join(out.split())) is warned
    assert "availability zones" not in command("plan", "aks", *place[:2])[1]


_SERVE = "inference.model=meta-llama/Llama-3.1-405B-Instruct"


@pytest.mark.parametrize(
    ("words", "told"), [(("oke-405b",), True), (("oke",), False), (("gke-a3-ultra", "--set", _SERVE), False)]
)
def test_who_enforces_policies_is_told_where_a_model_is_served(words: tuple[str, ...], told: bool):
    """What vLLM's nodes say to each other is trusted blindly: a policy that nobody enforces keeps nobody out."""
    code, out, _ = command("plan", *words)

    assert code == 0 and ("enforces NetworkPolicies" in " ".join(out.split())) is told


def test_nobody_knows_it_of_a_cluster_that_exists():
    """Its network is its owner's."""
    code, out, _ = command("plan", "eks", *(word for each in (_SERVE, NETWORK, CLUSTER) for word in ("--set", each)))

    assert code == 0 and "enforces NetworkPolicies" in " ".join(out.split())


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        (("kubernetes.endpoint=private", "kubernetes.publicCidrs=null"), True),
        (("kubernetes.endpoint=private", "kubernetes.publicCidrs=null", NETWORK), False),
        ((), False),
    ],
    ids=["private in a new VPC", "private in an existing one", "public"],
)
def test_a_private_cluster_in_a_new_vpc_waits_for_a_way_in(overrides: tuple[str, ...], told: bool):
    """`up` stands still until somebody makes one; an existing VPC may have it."""
    code, out, _ = command("plan", "eks", *(word for each in overrides for word in ("--set", each)))

    assert code == 0 and ("once this machine reaches the VPC" in " ".join(out.split())) is told


@pytest.mark.parametrize(("capacity", "told"), [("flexStart", True), ("spot", False)])
def test_skypilot_must_be_told_where_nodes_come_from(capacity: str, told: bool):
    """Of nodes that come when a job asks it sees none, and no network."""
    sets = ("--set", "skypilot=true", "--set", f"pools[0].capacity={{{capacity}: true}}")
    code, out, _ = command("plan", "gke-a3-mega", *sets)

    assert code == 0 and ("SkyPilot sees no network while there is no node" in " ".join(out.split())) is told
