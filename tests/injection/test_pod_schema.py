"""Which parts of a pod must have the API's form; `refusals/cases/inject-misformed.yaml` has the words."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.injection import check_pod

MAIN = "spec.containers[0]"


def faults(container: dict[str, Any] | None = None, **spec: Any) -> list[str]:
    """The places of faults in a pod of one container."""
    errors = ErrorList()
    check_pod({"metadata": None, "spec": {"containers": [{"name": "a", **(container or {})}], **spec}}, errors)
    return [str(each).partition(": ")[0] for each in errors.found()]


def test_a_part_may_be_absent_or_null():
    resources = {"limits": {"x": 1}, "claims": [{"name": "c"}], "requests": "not read"}

    assert faults() == faults({"env": None, "resources": resources}, tolerations=None, volumes=[{"name": "v"}]) == []


@pytest.mark.parametrize(
    ("container", "spec", "found"),
    [
        ({"resources": {"limits": "x"}}, {}, [f"{MAIN}.resources.limits"]),
        (
            {"resources": {"claims": [{"name": 1}, None]}},
            {},
            [f"{MAIN}.resources.claims[0].name", f"{MAIN}.resources.claims[1]"],
        ),
        (
            {"securityContext": {"capabilities": {"add": [1, None]}}},
            {},
            [f"{MAIN}.securityContext.capabilities.add[{i}]" for i in (0, 1)],
        ),
        ({}, {"volumes": [None, {"name": 2}]}, ["spec.volumes[0]", "spec.volumes[1].name"]),
        ({}, {"nodeSelector": "x", "resourceClaims": [{}]}, ["spec.nodeSelector", "spec.resourceClaims[0].name"]),
    ],
)
def test_a_fault_is_named_by_its_path(container: dict[str, Any], spec: dict[str, Any], found: list[str]):
    """None hides another."""
    assert faults(container, **spec) == found
