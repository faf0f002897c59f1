"""What only might not work is told where people look: in the command's summary, and by the engine."""

import pytest
from tests.cli.commands import command


def test_the_command_tells_a_warning_once():
    _, out, err = command("preview", "gke-a3-ultra")

    assert " ".join(out.split()).count("one preempted spot node") == 1 and not err


@pytest.mark.parametrize("stack", ["gke", "eks"])
def test_a_minor_that_is_newer_than_ours_is_no_error(stack: str):
    """Clouds add minors more often than we look; a case refuses one that is older than they offer."""
    code, out, _ = command("plan", stack, "--set", "kubernetes.version='1.99'")

    assert code == 0 and "1.99 is newer than" in " ".join(out.split())
    assert "is newer than" not in command("plan", stack)[1]


@pytest.mark.parametrize(("location", "warned"), [("westus", True), ("southcentralus", False)])
def test_a_zone_of_a_location_without_zones_is_no_error(location: str, warned: bool):
    """Azure adds zones to old locations."""
    place = ("--set", f"azure-native:location={location}", "--set", "zone='1'")
    code, out, _ = command("plan", "aks", *place)

    assert code == 0 and ("has no availability zones" in " ".join(out.split())) is warned
    assert "availability zones" not in command("plan", "aks", *place[:2])[1]


_SERVE = "inference.model=meta-llama/Llama-3.1-405B-Instruct"


@pytest.mark.parametrize(
    ("words", "is_told"), [(("oke-405b",), True), (("oke",), False), (("gke-a3-ultra", "--set", _SERVE), False)]
)
def test_who_enforces_policies_is_told_where_a_model_is_served(words: tuple[str, ...], is_told: bool):
    """vLLM's nodes trust each other blindly: a policy that nobody enforces keeps nobody out."""
    code, out, _ = command("plan", *words)

    assert code == 0 and ("enforces NetworkPolicies" in " ".join(out.split())) is is_told
