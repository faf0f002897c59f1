"""What of a pod has another form than the API's is told by its path, all of it together."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.injection import check_pod

LEAST: dict[str, Any] = {"spec": {"containers": [{"name": "a"}]}}
WHOLE: dict[str, Any] = {
    "metadata": {"annotations": {"a": "b"}, "labels": {}},
    "spec": {
        "containers": [
            {"name": "a", "resources": {"limits": {"x": 1}, "claims": [{"name": "c"}]}, "env": [{"name": "e"}],
             "volumeMounts": [{"mountPath": "/a"}], "securityContext": {"capabilities": {"add": ["A"]}}}
        ],
        "initContainers": [{"name": "b"}],
        "nodeSelector": {},
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}]}]}}},
        "tolerations": [{"operator": "Exists"}],
        "volumes": [{"name": "v"}],
        "resourceClaims": [{"name": "c"}],
    },
}  # fmt: skip
TERMS = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
MAIN = "spec.containers[0]"


def told(pod: dict[str, Any]) -> list[str]:
    """The faults of a pod."""
    errors = ErrorList()
    check_pod(pod, errors)
    return [str(error) for error in errors.found()]


def at(path: str, value: Any) -> dict[str, Any]:
    """A whole pod, but for one value."""

    def put(part: Any, steps: list[str]) -> Any:
        if not steps:
            return value
        if isinstance(part, list):
            return [put(part[0], steps[1:])]
        return {**part, steps[0]: put(part[steps[0]], steps[1:])}

    return put(WHOLE, path.replace("[", ".").replace("]", "").split("."))


def test_what_has_the_apis_form() -> None:
    """As little as may be, as much as is read, and nulls where something may be absent."""
    nulls = {"metadata": None, "spec": {"containers": [{"name": "a", "env": None}], "tolerations": None}}

    assert told(LEAST) == told(WHOLE) == told(nulls) == []


SETS = [
    "metadata", "metadata.annotations", "metadata.labels", MAIN, f"{MAIN}.resources", f"{MAIN}.resources.limits",
    f"{MAIN}.resources.claims[0]", f"{MAIN}.env[0]", f"{MAIN}.volumeMounts[0]", f"{MAIN}.securityContext",
    f"{MAIN}.securityContext.capabilities", "spec.initContainers[0]", "spec.nodeSelector", "spec.affinity",
    "spec.affinity.nodeAffinity", f"{TERMS}[0]", f"{TERMS}[0].matchExpressions[0]", "spec.tolerations[0]",
    "spec.volumes[0]", "spec.resourceClaims[0]",
]  # fmt: skip
LISTS = [
    "spec.containers", f"{MAIN}.resources.claims", f"{MAIN}.env", f"{MAIN}.volumeMounts",
    f"{MAIN}.securityContext.capabilities.add", "spec.initContainers", TERMS, f"{TERMS}[0].matchExpressions",
    f"{TERMS}[0].matchExpressions[0].values", "spec.tolerations", "spec.volumes", "spec.resourceClaims",
]  # fmt: skip
TEXTS = [
    f"{MAIN}.name", f"{MAIN}.resources.claims[0].name", f"{MAIN}.env[0].name", f"{MAIN}.volumeMounts[0].mountPath",
    f"{MAIN}.securityContext.capabilities.add[0]", "spec.initContainers[0].name",
    *(f"{TERMS}[0].matchExpressions[0].{key}" for key in ("key", "operator", "values[0]")), "spec.volumes[0].name",
    "spec.resourceClaims[0].name",
]  # fmt: skip


@pytest.mark.parametrize("path", SETS)
def test_a_set_of_keys(path: str) -> None:
    """Is no text; an item of a list is not empty."""
    assert told(at(path, "x")) == [f"{path}: must be a set of keys, got 'x'; write KEY: VALUE"]
    empty = [f"{path}: empty; remove the dash, or write what stands there"] if path.endswith("]") else []
    assert told(at(path, None)) == empty


@pytest.mark.parametrize("path", LISTS)
def test_a_list(path: str) -> None:
    """Is no set of keys."""
    assert told(at(path, "x")) == [f"{path}: must be a list, got 'x'; write a dash before each item"]


@pytest.mark.parametrize("path", TEXTS)
def test_a_text(path: str) -> None:
    """Is there, and no number."""
    assert told(at(path, 1)) == [f"{path}: must be a string, got 1; put it in quotes"]
    assert told(at(path, None)) == [f"{path}: missing"]


def test_all_faults_together() -> None:
    """None hides another; a pod without containers is none."""
    assert told({"metadata": 1, "spec": {"containers": [], "volumes": [None, {"name": 2}]}}) == [
        "metadata: must be a set of keys, got 1; write KEY: VALUE",
        "spec.volumes[0]: empty; remove the dash, or write what stands there",
        "spec.volumes[1].name: must be a string, got 2; put it in quotes",
        "spec.containers: empty; a pod has one container at the least",
    ]
