"""What a stack's choices decide for an OKE cluster."""

from typing import Any

import pytest
from rdma_cluster.catalog.oke_releases import GPU_OPERATOR, NETWORK_OPERATOR, NODE_FEATURES
from rdma_cluster.oke.plan.cluster import OkeClusterPlan, OkeEndpoint, check_offered
from rdma_cluster.oke.plan.cni import OkeCniType
from rdma_cluster.oke.plan.zones import Place
from tests.oke.plans import CLUSTER, COMPARTMENT, IN_CLUSTER, cluster_plan, refused

DEFAULT = OkeClusterPlan(
    name="oke",
    place=Place(**IN_CLUSTER),
    version="1.36.1",
    endpoint=OkeEndpoint.PRIVATE,
    cni=OkeCniType.VCN_NATIVE,
    dual_stack=False,
    service_cidr="10.96.0.0/16",
    pod_cidr=None,
    addons=(),
    secrets_key=None,
    protected=None,
    identifier=f"oke/eu-frankfurt-1/{COMPARTMENT}/oke",
    existing=None,
)
PUBLIC = {"endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}
THERE: dict[str, Any] = {"existing": {"id": CLUSTER}, "version": "1.35.2"}


@pytest.mark.parametrize(
    ("args", "changed"),
    [
        ({}, {}),
        ({"name": "mine"}, {"name": "mine", "identifier": f"oke/eu-frankfurt-1/{COMPARTMENT}/mine"}),
        ({"version": "1.34.2"}, {"version": "1.34.2"}),
        (PUBLIC, {"endpoint": OkeEndpoint.PUBLIC}),
        ({"cni": "flannel"}, {"cni": OkeCniType.FLANNEL, "pod_cidr": "10.240.0.0/12"}),
        (
            {"cni": "flannel", "pod_cidr": "10.16.0.0/12", "service_cidr": "10.8.0.0/16"},
            {"cni": OkeCniType.FLANNEL, "pod_cidr": "10.16.0.0/12", "service_cidr": "10.8.0.0/16"},
        ),
        ({"dual_stack": True}, {"dual_stack": True}),
        # Both operators read the labels of the first, whatever the order in which they are listed.
        (
            {"addons": ["NvidiaNetworkOperator", "NvidiaGpuOperator", "NodeFeatureDiscovery"]},
            {"addons": (NODE_FEATURES, GPU_OPERATOR, NETWORK_OPERATOR)},
        ),
        ({"addons": ["NvidiaNetworkOperator"]}, {"addons": (NETWORK_OPERATOR,)}),
        (
            {**THERE, "name": "mine"},
            {
                "name": "mine",
                "version": "1.35.2",
                "identifier": f"oke/eu-frankfurt-1/{CLUSTER}",
                "existing": CLUSTER,
            },
        ),
        ({**THERE, "endpoint": "public"}, {"version": "1.35.2", "endpoint": OkeEndpoint.PUBLIC,
          "identifier": f"oke/eu-frankfurt-1/{CLUSTER}", "existing": CLUSTER}),
    ],
)  # fmt: skip
def test_each_choice(args: dict[str, Any], changed: dict[str, Any]):
    """Changes its own part of the plan, and nothing else."""
    plan = cluster_plan(**args)

    assert {key: getattr(plan, key) for key in DEFAULT.__annotations__} == {
        key: changed.get(key, getattr(DEFAULT, key)) for key in DEFAULT.__annotations__
    }


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("1.36.1", ""),
        ("1.37.0", ""),
        ("1.34.2", ""),
        ("1.34.1", "got 1.34.1, whose dynamic resource allocation is broken; take 1.34.2 or later"),
        ("1.34.0", "got 1.34.0, whose dynamic resource allocation is broken; take 1.34.2 or later"),
        ("1.33.9", "got 1.33.9; this library builds on 1.34.2 or later; raise it"),
        ("1.36", "got '1.36'; write a version with its patch and without a v: 1.36.1, 1.35.2, 1.34.2"),
        ("v1.36.1", "got 'v1.36.1'; write a version with its patch and without a v: 1.36.1, 1.35.2, 1.34.2"),
        ("1.36.1.1", "got '1.36.1.1'; write a version with its patch and without a v: 1.36.1, 1.35.2, 1.34.2"),
    ],
)
def test_versions(version: str, words: str):
    """From the oldest that works on; newer ones may come."""
    assert refused(cluster_plan, version=version) == ([f"version: {words}"] if words else [])


@pytest.mark.parametrize(
    ("name", "fits"),
    [("a", True), ("A-b_9", True), ("a" * 255, True), ("a" * 256, False), ("9a", False), ("-a", False), ("", False)],
)
def test_names(name: str, fits: bool):
    """As OKE takes them."""
    words = f"name: got {name!r}; write 1 to 255 letters, digits, hyphens and underscores, a letter first"

    assert refused(cluster_plan, name=name) == ([] if fits else [words])


@pytest.mark.parametrize(
    ("args", "places"),
    [
        ({"addons": ["NodeFeatureDiscovery", "Other"]}, ["addons[1]"]),
        ({"secrets_key": "ocid1.key.oc1.eu-frankfurt-1.a"}, []),
        ({"secrets_key": "ocid1.vault.oc1.eu-frankfurt-1.a"}, ["secrets_key"]),
        ({"endpoint": "public"}, ["public_cidrs"]),
        ({"public_cidrs": ["203.0.113.7/32"]}, ["public_cidrs"]),
        ({"existing": {"id": CLUSTER}}, ["version"]),
        ({"existing": {"id": "ocid1.vcn.oc1..a"}, "version": "1.36.1"}, ["existing.id"]),
        ({**THERE, "secrets_key": "ocid1.key.oc1.eu-frankfurt-1.a"}, ["secrets_key"]),
        ({**THERE, "public_cidrs": ["203.0.113.7/32"]}, ["public_cidrs"]),
        ({**THERE, "protected": True}, ["protected"]),
        ({**THERE, "protected": False}, []),
        ({"protected": True}, []),
        ({"zone": "4"}, ["zone"]),
        ({"region": "frankfurt", "zone": "1"}, ["region"]),
        ({"tenancy": "a", "compartment": "b"}, ["tenancy", "compartment"]),
        ({"service_cidr": "8.8.8.0/24"}, ["service_cidr"]),
    ],
)
def test_what_is_refused(args: dict[str, Any], places: list[str]):
    """Each thing at its place, and nothing beside it."""
    assert [each.partition(": ")[0] for each in refused(cluster_plan, **args)] == places


def test_versions_of_an_add_on():
    """The one that is pinned, where OKE offers it among others; else what it has."""
    assert check_offered("a", "v2", ["v1", "v2"]) == "v2"
    with pytest.raises(LookupError, match=r"^add-on a: OKE does not offer v3, it has v1, v2$"):
        check_offered("a", "v3", ["v1", "v2"])
    with pytest.raises(LookupError, match=r"^add-on a: OKE does not offer v3, it has none$"):
        check_offered("a", "v3", [])
