"""A target knows what its versions and its driver can do, and what names a rail under it."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog.machine import NicKind
from rdma_cluster.claims import Groups, Target, driver_of, judged_minor, kubernetes_minor
from rdma_cluster.claims.target import check_driver, drivers_of, naming, nvidia_order, pin
from rdma_cluster.fabrics.dranet import DRANET
from rdma_cluster.fabrics.efa import AWS_DRANET
from tests.claims.nodes import A4, H100_V5, OF_GKE, P4D, P5
from tests.machines import known_machine


@pytest.mark.parametrize(
    ("fact", "least", "before"),
    [
        ("has_pcie_root", {"nvidia": "25.8.0"}, {"nvidia": "25.7.9"}),
        ("has_pcie_root", {"dranet": "0.5.1"}, {"dranet": "0.5.0"}),
        ("has_pcie_root", {"dranet": "1.0.0"}, {"dranet": "0.4.0"}),
        ("has_numa_node", {"kubernetes": (1, 37)}, {"kubernetes": (1, 36)}),
        ("has_numa_node", {"nvidia": "0.5.0"}, {"nvidia": "0.4.1"}),
        ("has_numa_node", {"dranet": "1.4.1"}, {"dranet": "1.4.0-gke.3"}),
    ],
)
def test_a_fact_holds_from_its_first_version_on(fact: str, least: dict[str, Any], before: dict[str, Any]):
    new: dict[str, Any] = {"kubernetes": (1, 37), "dranet": "1.5.0", "nvidia": "0.5.0"}

    assert getattr(Target(**{**new, **least}), fact)
    assert not getattr(Target(**{**new, **before}), fact)


def test_nvidias_versions_count_by_date():
    """Versions that are named after a year came first, then those from 0 on; the first three numbers count."""
    dated = ["25.3.2", "25.8.0", "25.12.0", "0.4.0", "0.4.1", "0.5.0", "1.0.0"]
    orders = [nvidia_order(version) for version in dated]

    assert orders == sorted(set(orders)) and len(orders) == 7
    assert nvidia_order("v25.8.0-rc.1") == nvidia_order("25.8.0")


@pytest.mark.parametrize(
    ("changed", "named_by"),
    [
        ({}, ("nic_names", "ifName", A4.nic_names)),
        ({"nic_kind": NicKind.RDMA_ONLY}, ("nic_pci", "pciAddress", A4.nic_pci)),
        ({"nic_names": None, "nic_pci": None}, ("rdma_names", "rdmaDevice", A4.rdma_names)),
        ({"nic_names": None, "nic_pci": None, "rdma_names": None}, None),
    ],
)
def test_a_rail_is_named_by_interface_then_address_then_rdma_device(
    changed: dict[str, object], named_by: tuple[str, str, tuple[str, ...]] | None
):
    row = replace(A4, **changed)
    pinned = pin(row, Target(), (3, 1))

    assert naming(row, Target()) == named_by
    assert naming(row, Target(OF_GKE)) is None
    assert (pinned is None) == (named_by is None)
    if named_by and pinned:
        assert f".?{named_by[1]}." in pinned and f'["{named_by[2][3]}", "{named_by[2][1]}"]' in pinned


def test_drivers_of_a_machine_hand_out_its_nics():
    """A machine that no fabric is built for has the usual driver of its cloud."""
    rows = (A4, H100_V5, P5, known_machine("h4d-highmem-192-lssd"))

    assert [[each.driver for each in drivers_of(row)] for row in rows] == [
        ["dranet", "gke-managed"],
        ["dranet-infiniband", "aks-managed"],
        ["aws-dranet"],
        ["dranet"],
    ]
    assert [driver_of(row) for row in (P4D, A4)] == [AWS_DRANET, DRANET]


def test_a_driver_of_another_cloud_is_refused_with_those_that_fit():
    errors, fine = ErrorList(("pools", 0, "nicDriver")), ErrorList()

    assert not check_driver("aws-dranet", A4, errors)
    (error,) = errors.found()
    assert "aws-dranet" in error.reason and error.reason.endswith("choose one of dranet, gke-managed")
    assert check_driver("dranet", A4, fine) and check_driver("gke-managed", A4, fine) and not fine


def test_only_dranet_needs_a_class_of_ours():
    own = Target().own_class

    assert own is not None and own["metadata"] == {"name": "dranet"}
    assert own["spec"] == {"selectors": [{"cel": {"expression": 'device.driver == "dra.net"'}}]}
    assert Target(AWS_DRANET).own_class is None and Target(OF_GKE).own_class is None


@pytest.mark.parametrize(
    ("text", "minor"), [("1.35", (1, 35)), ("v1.34", (1, 34)), ("1.36.2-gke.100", (1, 36)), ("1.100", (1, 100))]
)
def test_a_kubernetes_version_is_its_first_two_numbers(text: str, minor: tuple[int, int]):
    assert kubernetes_minor(text) == minor


@pytest.mark.parametrize("text", ["1", "v1.x", "x1.35", "latest", ""])
def test_what_is_no_kubernetes_version_is_refused(text: str):
    with pytest.raises(ValueError, match=r"^kubernetes: got .*such as 1\.35"):
        kubernetes_minor(text)


def test_claims_are_judged_under_no_version_before_their_api():
    """The API ``resource.k8s.io/v1`` came with Kubernetes 1.34."""
    assert [judged_minor(text) for text in ("1.33", "1.34.1", "1.36.2-gke.100", "")] == [
        (1, 34),
        (1, 34),
        (1, 36),
        (1, 34),
    ]


def test_groups_are_read_from_a_short_form():
    assert Groups.parse("1x4") == Groups(1, 1, 4)
    for text in ("0x4", "1X4", "4", "1x4x1", ""):
        with pytest.raises(ValueError, match="such as 1x4"):
            Groups.parse(text)


def test_imports_stay_left_of_the_wall():
    """The package imports no Pulumi, and the CEL library only at the first expression."""
    code = (
        "import sys, rdma_cluster.claims; "
        "print([m for m in sys.modules if m.split('.')[0] in ('pulumi', 'cel_expr_python', 'google')])"
    )
    path = str(Path(__file__).parents[2] / "components")
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": path}
    )

    assert shown.stdout.strip() == "[]"
