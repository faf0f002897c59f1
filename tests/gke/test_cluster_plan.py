"""What is decided of a GKE cluster: where it runs, which version, by which names."""

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pulumi_offline.errors import Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.gke.plan.cluster import GkeClusterArgs, GkeClusterPlan, GkeEndpoint, account_id, plan_cluster
from rdma_cluster.gke.plan.pod_networks import GkePodNetworksArgs, plan_pod_networks

KEY = "projects/p/locations/us-west8/keyRings/r/cryptoKeys/k"
EXISTING = {"location": "us-west8", "endpoint": "gke.example"}


def plan(called: str = "gke", **args: Any) -> GkeClusterPlan:
    """The plan of a cluster in us-west8-c."""
    base = {"project": "my-project", "zone": "us-west8-c"}
    names = dict.fromkeys(("network", "subnetwork", "pod_range", "service_range"), "n")
    return plan_from(GkeClusterArgs, lambda read, errors: plan_cluster(read, called, errors), {**base, **names, **args})


DEFAULT = GkeClusterPlan(
    name="gke",
    project="my-project",
    location="us-west8",
    zone="us-west8-c",
    version="1.35",
    release_channel="REGULAR",
    endpoint=GkeEndpoint.DNS,
    identifier="projects/my-project/locations/us-west8/clusters/gke",
    account_id="gke-nodes",
    existing=None,
)


def test_default():
    """A regional cluster of the component's name, reached by its DNS endpoint, on the regular channel."""
    assert plan() == DEFAULT


def test_every_choice():
    """What the user says takes the place of each default; a name of its own is the account's, too."""
    made = plan(
        "component",
        name="mine",
        version="1.35.2-gke.1842000",
        location="zonal",
        release_channel="RAPID",
        endpoint="private",
        secrets_key=KEY,
    )

    assert made == GkeClusterPlan(
        name="mine",
        project="my-project",
        location="us-west8-c",
        zone="us-west8-c",
        version="1.35.2-gke.1842000",
        release_channel="RAPID",
        endpoint=GkeEndpoint.PRIVATE,
        identifier="projects/my-project/locations/us-west8-c/clusters/mine",
        account_id="mine-nodes",
        existing=None,
        secrets_key=KEY,
    )


@pytest.mark.parametrize("location", ["us-west8", "us-west8-c"])
def test_an_existing_cluster_is_where_it_is(location: str):
    """Its location is its own, and stands in the identifier of all that runs on it."""
    made = plan(existing={**EXISTING, "location": location})

    assert (made.location, made.existing) == (location, {**EXISTING, "location": location})
    assert made.identifier == f"projects/my-project/locations/{location}/clusters/gke"


@pytest.mark.parametrize(
    ("version", "exact"), [("1.35", False), ("1.35.2", False), ("1.35.2-gke.1842000", True), ("1.36.1-gke.7", True)]
)
def test_a_version_is_exact_in_full(version: str, exact: bool):
    """A minor or a patch alone is the newest of it, whichever that is."""
    assert plan(version=version).is_exact is exact


@pytest.mark.parametrize(
    ("existing", "paths"),
    [
        ({"endpoint": "gke-0123.us-west8-c.gke.goog"}, []),
        ({"endpoint": "10.0.0.2", "ca_certificate": "eA=="}, []),
        ({"endpoint": "10.0.0.2"}, ["ca_certificate"]),
        ({"endpoint": "gke.example", "ca_certificate": "eA=="}, ["ca_certificate"]),
        ({"endpoint": "https://gke.example"}, ["endpoint"]),
        ({"endpoint": "https://10.0.0.2"}, ["endpoint"]),
        ({"endpoint": "gke.example-"}, ["endpoint"]),
        ({"endpoint": "10.0.0.2", "ca_certificate": "not base64"}, ["ca_certificate"]),
    ],
)
def test_endpoint_and_certificate_go_together(existing: dict[str, str], paths: list[str]):
    """At an address the cluster's own certificate is needed, and with a host name none is."""
    wrong = []
    try:
        plan(existing={"location": "us-west8", **existing})
    except Refused as refused:
        wrong = [each.path for each in refused.errors]

    assert wrong == [("existing", path) for path in paths]


@pytest.mark.parametrize(
    ("name", "account"),
    [
        ("a", "a-nodes"),
        ("a" * 24, f"{'a' * 24}-nodes"),
        ("a" * 25, f"{'a' * 16}-{sha256(b'a' * 25).hexdigest()[:7]}-nodes"),
        (f"{'b' * 15}-{'b' * 20}", f"{'b' * 15}-{sha256(b'b' * 15 + b'-' + b'b' * 20).hexdigest()[:7]}-nodes"),
    ],
)
def test_account_of_the_nodes(name: str, account: str):
    """The name where it fits; a long one is cut, and a digest of all of it tells two apart."""
    assert account_id(name) == account


@given(st.text("ab-0", max_size=38))
def test_google_takes_every_account(text: str):
    """An account's id has 6 to 30 characters, whatever the cluster's name is."""
    made = account_id(f"a{text}b")

    assert 6 < len(made) <= 30 and made.endswith("-nodes")


@pytest.mark.parametrize("length", [1, 41])
def test_names_of_pod_networks(length: int):
    """A Device network has a name of 41 characters at the most; what is planned is what was asked for."""
    networks = [{"name": "n" * length, "network": "vpc", "subnetwork": "s", "rdma": True}]

    (made,) = plan_from(GkePodNetworksArgs, plan_pod_networks, {"networks": networks})
    assert (made.name, made.rdma) == ("n" * length, True)


@pytest.mark.parametrize(
    ("called", "args", "refused"),
    [
        ("c" * 40, {}, []),
        ("c" * 41, {}, ["name"]),
        ("C", {}, ["name"]),
        # A name of the user's own takes the place of the component's.
        ("C", {"name": "c" * 40}, []),
        ("c", {"name": "c" * 41}, ["name"]),
        ("c", {"zone": "west"}, ["zone"]),
        ("c", {"project": ""}, ["project"]),
        ("c", {"version": "1"}, ["version"]),
        ("c", {"version": "1.29"}, ["version"]),
        ("c", {"version": "1.30"}, []),
        ("c", {"secrets_key": "my-key"}, ["secrets_key"]),
        ("c", {"existing": {**EXISTING, "location": "us-east1"}}, ["existing.location"]),
        ("c", {"existing": EXISTING, "endpoint": "dns"}, ["endpoint"]),
        ("c", {"existing": EXISTING, "location": "zonal", "protected": True}, ["location", "protected"]),
        (
            "c",
            {"existing": EXISTING, "release_channel": "RAPID", "secrets_key": KEY},
            ["release_channel", "secrets_key"],
        ),
        ("c", {"existing": EXISTING, "name": "mine", "version": "1.36"}, []),
    ],
)
def test_what_a_cluster_refuses(called: str, args: dict[str, Any], refused: list[str]):
    """Names that are too long, places that are none, and choices that an existing cluster has made."""
    found: list[str] = []
    try:
        plan(called, **args)
    except Refused as why:
        found = [line.partition(": ")[0] for line in why.lines]

    assert found == refused


def test_names_of_pod_networks_that_are_refused():
    """One that has no form, and one that is there already."""
    names = ["n" * 42, "-n", "vpc1", "vpc1"]
    networks = [{"name": name, "network": "vpc", "subnetwork": "s"} for name in names]
    with pytest.raises(Refused) as refused:
        plan_from(GkePodNetworksArgs, plan_pod_networks, {"networks": networks})

    assert [line.partition(";")[0].partition(" the ")[0] for line in refused.value.lines] == [
        f"networks[0].name: got '{'n' * 42}'",
        "networks[1].name: got '-n'",
        "networks[3].name: vpc1 is",
    ]
