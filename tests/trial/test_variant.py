"""`rdma-cluster trial STACK`: the smallest variant that the plan takes, its cost, and the whole run as commands."""

import json
from typing import Any

import pytest
from tests.cli.commands import command
from tests.stacks import STACKS


def told(stack: str) -> Any:
    """What the verb says of a stack."""
    code, out, err = command("trial", stack, "--json")
    assert (code, err) == (0, ""), err
    return json.loads(out)


@pytest.mark.parametrize(
    ("stack", "words"),
    [
        ("gke", ["pools[0].capacity={spot: true}"]),
        ("gke-a3-high", []),
        ("gke-a4x", ["pools[1]=", "pools[0].nodes=2"]),  # its nodes come from reservations alone
        ("oke-405b", ["inference=", "pools[0].capacity={onDemand: true}"]),  # Oracle has no spot of this shape
        ("oke-gb200", ["pools[0].nodes=2", "pools[0].memoryFabrics[1]=", "pools[0].memoryFabrics[0].nodes=2",
            "pools[0].capacity={onDemand: true}"]),
        ("oke-adopt", []),
    ],
)  # fmt: skip
def test_a_variant_is_the_smallest_that_its_cloud_has(stack: str, words: list[str]):
    assert told(stack)["set"] == words


@pytest.mark.parametrize("stack", [stack for stack in STACKS if not stack.startswith("gce")])
def test_every_stack_says_what_its_trial_takes(stack: str):
    """Minutes are those of the phases; dollars follow from a list's price, and are not told where there is none."""
    trial = told(stack)
    price, minutes = trial["price"]["from_usd_an_hour"], trial["minutes"]

    assert minutes["up"] == pytest.approx(sum(each["minutes"] for each in trial["phases"]))
    assert all(("a guess" in each["known"]) != ("published" in each["known"]) for each in trial["phases"])
    assert (trial["usd"] is None) == (price is None)
    if price is not None:
        assert trial["usd"][0] == pytest.approx(price * (minutes["up"] + minutes["destroy"]) / 60)
    assert trial["commands"][-1].startswith("rdma-cluster machines --from-trial")


def test_plain_machines_have_no_trial():
    """Their test is run by hand, and its log goes another way."""
    code, out, err = command("trial", "gce")

    assert (code, out, err.count("\n")) == (2, "", 1) and "no Kubernetes" in err
