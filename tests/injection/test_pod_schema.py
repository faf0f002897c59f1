"""Parts of a pod that have another form than the API's are named by their paths, all of them together."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.injection import check_pod

TERMS = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"


def faults(pod: dict[str, Any]) -> dict[str, str]:
    """The first word or two of each fault, by its path."""
    errors = ErrorList()
    check_pod(pod, errors)
    return {
        path: reason.partition(",")[0] for path, _, reason in (str(each).partition(": ") for each in errors.found())
    }


def with_container(**fields: Any) -> dict[str, Any]:
    """A pod of one container."""
    return {"spec": {"containers": [{"name": "a", **fields}]}}


def with_terms(terms: Any) -> dict[str, Any]:
    """A pod with an affinity."""
    value = terms
    for key in reversed(TERMS.split(".")):
        value = {key: value}
    return {"spec": {"containers": [{"name": "a"}], **value}}


@pytest.mark.parametrize(
    "pod",
    [
        with_container(),
        {"metadata": None, "spec": {"containers": [{"name": "a", "env": None}], "tolerations": None}},
        with_container(resources={"limits": {"x": 1}, "claims": [{"name": "c"}]}, volumeMounts=[{"mountPath": "/a"}]),
        with_terms([{"matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}]}]),
    ],
    ids=["least", "nulls", "container", "affinity"],
)
def test_a_pod_of_the_apis_form_has_no_fault(pod: dict[str, Any]):
    assert faults(pod) == {}


SET, LIST, TEXT = "must be a set of keys", "must be a list", "must be a string"
MAIN = "spec.containers[0]"


@pytest.mark.parametrize(
    ("pod", "told"),
    [
        (with_container(resources="x"), {f"{MAIN}.resources": SET}),
        (with_container(resources={"limits": "x"}), {f"{MAIN}.resources.limits": SET}),
        (with_container(resources={"claims": [{"name": 1}]}), {f"{MAIN}.resources.claims[0].name": TEXT}),
        (with_container(env={"a": "b"}), {f"{MAIN}.env": LIST}),
        (with_container(volumeMounts=[{}]), {f"{MAIN}.volumeMounts[0].mountPath": "missing"}),
        (
            with_container(securityContext={"capabilities": {"add": [1, None]}}),
            {f"{MAIN}.securityContext.capabilities.add[{i}]": told for i, told in enumerate((TEXT, "missing"))},
        ),
        (with_terms("x"), {f"spec.{TERMS}": LIST}),
        (
            with_terms([{"matchExpressions": [{"key": "k", "operator": "In", "values": [1]}]}]),
            {f"spec.{TERMS}[0].matchExpressions[0].values[0]": TEXT},
        ),
        (
            {"metadata": 1, "spec": {"containers": [], "volumes": [None, {"name": 2}], "tolerations": ["x"]}},
            {
                "metadata": SET,
                "spec.tolerations[0]": SET,
                "spec.volumes[0]": "empty; remove the dash",
                "spec.volumes[1].name": TEXT,
                "spec.containers": "empty; a pod has one container at the least",
            },
        ),
    ],
)
def test_every_fault_is_named_by_its_path(pod: dict[str, Any], told: dict[str, str]):
    assert faults(pod) == told
