"""What is decided of a GKE cluster: where it runs, which version, by which names."""

import pytest
from hypothesis import given, strategies as st
from tests.gke.plans import cluster_plan

EXISTING = {"location": "us-west8", "endpoint": "gke.example"}


@pytest.mark.parametrize("location", ["us-west8", "us-west8-c"])
def test_an_existing_cluster_stays_where_it_is(location: str):
    made = cluster_plan(existing={**EXISTING, "location": location})

    assert made.identifier == f"projects/my-project/locations/{location}/clusters/gke"


@pytest.mark.parametrize(("version", "exact"), [("1.35", False), ("1.35.2", False), ("1.35.2-gke.1842000", True)])
def test_a_version_is_exact_in_full_alone(version: str, exact: bool):
    """A minor or a patch is the newest of it, whichever that is."""
    assert cluster_plan(version=version).is_exact is exact


def test_long_names_give_accounts_that_stay_apart():
    """The digests are those of 0.1.0: other ones would be other accounts."""
    assert cluster_plan("a" * 24).account_id == f"{'a' * 24}-nodes"
    assert cluster_plan("a" * 25).account_id == f"{'a' * 16}-2f521e2-nodes"
    assert cluster_plan(f"{'b' * 15}-{'b' * 20}").account_id.startswith(f"{'b' * 15}-")


@given(st.text("ab-0", max_size=38))
def test_google_takes_the_account_of_every_cluster(text: str):
    """An account's id has 6 to 30 characters."""
    made = cluster_plan(f"a{text}b").account_id

    assert 6 < len(made) <= 30 and made.endswith("-nodes")
