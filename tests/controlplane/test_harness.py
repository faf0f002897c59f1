"""The harness tells right from wrong: what the server refuses or does not like is seen."""

import pytest
from .api import Object, Refused
from .cluster import NO_CLAIM_YET, RESOURCE_API, Cluster, flaps

GPU = "gpu.example.com"


def device_class(driver: str, expression: str = "true") -> Object:
    selector = {"cel": {"expression": expression}}
    spec = {"selectors": [selector]}
    return {"apiVersion": RESOURCE_API, "kind": "DeviceClass", "metadata": {"name": driver}, "spec": spec}


TEMPLATE: Object = {
    "apiVersion": RESOURCE_API,
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": "t"},
    "spec": {
        "spec": {
            "devices": {
                "requests": [{"name": "gpu", "exactly": {"deviceClassName": GPU}}],
                "constraints": [{"requests": ["nic"], "matchAttribute": "resource.kubernetes.io/pcieRoot"}],
            }
        }
    },
}


def pod(name: str) -> Object:
    spec = {"containers": [{"name": "main", "image": "registry.example/pause:1"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def test_warnings_of_the_server_are_seen(cluster: Cluster):
    """What the server takes but does not like comes back with the object."""
    deprecated = pod("old")
    deprecated["metadata"]["annotations"] = {"scheduler.alpha.kubernetes.io/critical-pod": ""}

    assert any("critical-pod" in warning for warning in cluster.apply(deprecated).warnings)
    assert cluster.apply(pod("new")).warnings == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (device_class(GPU, 'device.drivr == "x"'), "undefined field 'drivr'"),
        (device_class(GPU) | {"apiVersion": "resource.k8s.io/v9"}, "could not find the requested resource"),
        (device_class(GPU) | {"kind": "DeviceClas"}, "has no kind DeviceClas"),
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "labels": {"a": "no spaces"}}}, "must be"),
        (
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "dat": {}},
            "field not declared in schema",
        ),
        (TEMPLATE, "must be the name of a request"),
    ],
    ids=["cel typo", "api version", "kind", "label", "unknown field", "constraint on no request"],
)
def test_what_is_wrong_is_refused(cluster: Cluster, wrong: Object, words: str):
    """A mock would have taken each of these."""
    with pytest.raises(Refused, match=words):
        cluster.apply(wrong)


@pytest.mark.parametrize(
    ("named", "said", "flapping"),
    [
        ([], None, False),
        (["claim-1"], None, True),
        (["claim-0", "claim-1"], None, False),
        (["claim-0", "claim-1"], NO_CLAIM_YET, True),
        ([], NO_CLAIM_YET, True),
    ],
)
def test_a_pod_flaps_that_has_some_of_its_claims(named: list[str], said: str | None, flapping: bool):
    """On a slow machine the scheduler said nothing of such a pod, and 635 tests waited for it in vain."""
    conditions = [{"type": "PodScheduled", "status": "False", "message": said}] if said else []
    status = {"resourceClaimStatuses": [{"name": name} for name in named], "conditions": conditions}
    claims = [{"name": f"claim-{number}"} for number in range(2)]
    assert flaps({"spec": {"resourceClaims": claims}, "status": status}) is flapping
