"""A stack on what exists already may not choose what its owner has chosen."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.common.existing import (
    check_addresses,
    check_ceiling,
    check_certificate,
    check_existing,
    check_existing_cluster,
    check_most,
)


def told(check: Any, *words: Any, **more: Any) -> list[str]:
    """The errors of a check."""
    errors = ErrorList()
    check(*words, errors, **more)
    return [str(each) for each in errors.found()]


@pytest.mark.parametrize(
    ("args", "places"),
    [
        ({"existing": {}, "metrics": True, "name": "c"}, ["metrics"]),
        ({"existing": {}, "metrics": False}, []),
        ({"existing": {}, "metrics": 0, "admins": []}, ["admins", "metrics"]),
        ({"existing": {}}, []),
        ({"metrics": True, "admins": []}, []),
    ],
)
def test_choices_of_a_new_cluster_are_refused_beside_an_existing_one(args: dict[str, Any], places: list[str]):
    """A switch that is off is none, and a name is of both."""
    assert [each.partition(":")[0] for each in told(check_existing_cluster, args, ("admins", "metrics"))] == places


@pytest.mark.parametrize(
    ("kubernetes", "network", "places"),
    [
        ({}, {}, []),
        ({}, {"existing": {}}, []),
        ({"existing": {}, "name": "c"}, {"existing": {}}, []),
        ({"existing": {}}, {"existing": {}}, ["kubernetes.name"]),
        ({"existing": {}, "name": "c"}, {}, ["network.existing"]),
        ({"existing": {}}, {}, ["kubernetes.name", "network.existing"]),
    ],
)
def test_an_existing_cluster_needs_its_name_and_its_network(
    kubernetes: dict[str, Any], network: dict[str, Any], places: list[str]
):
    """A new cluster may be in a network that exists."""
    assert [each.partition(":")[0] for each in told(check_existing, kubernetes, network)] == places


@pytest.mark.parametrize(
    ("text", "fits"), [("eA==", True), (7, True), ("", False), ("not base64", False), ("eA==!", False), ("eA=", False)]
)
def test_a_certificate_is_base64(text: object, fits: bool):
    """An output is not looked at."""
    words = f"got {text!r}; write it in base64, as the certificate-authority-data of a kubeconfig"

    assert told(check_certificate, text) == ([] if fits else [words])


def test_an_existing_network_has_its_addresses_already():
    network = {"max_nodes": 1, "existing": {}, "cidr": "a", "pod_cidr": "b", "outbound": "c", "zone": 1, "a": 2}

    assert [each.partition(":")[0] for each in told(check_addresses, network, ("pod_cidr",))] == [
        "a",
        "cidr",
        "max_nodes",
        "outbound",
        "zone",
    ]
    assert told(check_addresses, {"existing": {}, "pod_cidr": "b"}, ("pod_cidr",)) == []


def pools(*nodes: int) -> list[dict[str, int]]:
    """Pools of so many nodes."""
    return [{"nodes": of} for of in nodes]


CEILING = "10 nodes in all, and the subnets are cut for {}; set network.maxNodes to 10 or more before the first up"


@pytest.mark.parametrize(
    ("nodes", "network", "words"),
    [
        ((4, 6), {"max_nodes": 10}, ""),
        ((4, 6), {"max_nodes": 9}, CEILING.format(9)),
        # A ceiling that is none is told at its own place.
        ((4, 6), {"max_nodes": 0}, ""),
        ((4, 6), {"max_nodes": -1}, ""),
        ((4, 6), {}, ""),
        ((250,), {}, ""),
        ((251,), {}, "251 nodes in all, and the subnets are cut for 250; "),
        ((4000, 1000), {"max_nodes": 5000}, ""),
        ((4000, 1000), {"max_nodes": 4999}, "5000 nodes in all, and the subnets are cut for 4999; "),
        # More than a cluster holds is told as that, and one pool of so many at its own place.
        ((4000, 1001), {"max_nodes": 1}, "5,001 nodes in all; a cluster holds 5,000 at the most"),
        ((5001,), {"max_nodes": 1}, ""),
        ((), {"max_nodes": 1}, ""),
    ],
)
def test_subnets_are_cut_for_all_pools_together(nodes: tuple[int, ...], network: dict[str, int], words: str):
    """Each number that is too large is told once."""
    errors = told(check_ceiling, pools(*nodes), network)

    assert len(errors) == bool(words) and all(each.startswith(words) for each in errors)


@pytest.mark.parametrize(
    ("nodes", "fits"), [((3, 4), True), ((3, 5), False), ((7, 1), False), ((8, 1), True), ((1, 8), True), ((8,), True)]
)
def test_a_rack_holds_so_many_nodes(nodes: tuple[int, ...], fits: bool):
    """Where one pool alone is too large, it is told of that pool and not of the sum."""
    words = f"{sum(nodes)} nodes in all; a rack holds 7 at the most"

    assert told(check_most, pools(*nodes), most=7, of="rack") == ([] if fits else [words])
