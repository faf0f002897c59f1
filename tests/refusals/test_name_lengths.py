"""How long a name may be: the last length that is taken, and the first that is refused."""

import pytest
from tests.cli.commands import command

LENGTHS = [
    # GKE's API, NodePool.name: 40 characters.
    ("gke", "pools[0].name", 40, "{}"),
    # Compute Engine's API, Reservation.name: 63, RFC 1035.
    ("gke", "pools[0].capacity", 63, "{{reservation: {{name: {}}}}}"),
    ("gce", "pools[0].capacity", 63, "{{reservation: {{name: {}}}}}"),
    # A node group's name is the value of a label, which has 63 characters.
    ("eks", "pools[0].name", 63, "{}"),
    # OKE's API, NodePool.name: 32 here, as it is a part of other names.
    ("oke", "pools[0].name", 32, "{}"),
    # azure-mgmt-containerservice, ManagedClusterAgentPoolProfile.name: 12 of a Linux pool.
    ("aks", "pools[0].name", 12, "{}"),
]


def complaints(stack: str, key: str, value: str) -> list[str]:
    """What `plan` says of a key and what is in it."""
    _, _, err = command("plan", stack, "--set", f"{key}={value}")
    return [line.strip() for line in err.splitlines() if key in line and "got '" in line]


@pytest.mark.parametrize(("stack", "key", "longest", "form"), LENGTHS, ids=lambda value: str(value).split("[")[0])
def test_the_longest_name_is_taken_and_one_more_is_not(stack: str, key: str, longest: int, form: str):
    """A limit that is one too strict refuses what works."""
    assert complaints(stack, key, form.format("a" * longest)) == []
    assert len(complaints(stack, key, form.format("a" * (longest + 1)))) == 1
