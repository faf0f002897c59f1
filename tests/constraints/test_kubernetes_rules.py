"""What Kubernetes refuses of several inputs together, one input apart: names, selectors, claims, ports, amounts."""

from collections.abc import Callable
from typing import Any

import pytest
from pulumi_offline.constraints import amazon_ec2, broken, google_container, kubernetes, kubernetes_pods
from pulumi_offline.constraints.predicates import inputs_with
from pulumi_offline.constraints.record import ExistingResources

LATER = "[name of t:x:Y z]"
DEVICES, LABELS, SELECTOR = "spec.spec.devices", "spec.template.metadata.labels", "spec.selector.matchLabels"
JOB, CONFIG = "kubernetes:batch/v1:Job", "kubernetes:core/v1:ConfigMap"


@pytest.mark.parametrize(
    ("function", "inputs", "fits"),
    [
        (kubernetes._has_ports, {}, False),
        (kubernetes._has_ports, {"spec.ports": [{"port": 1}]}, True),
        (kubernetes._has_ports, {"spec.clusterIP": "None"}, True),
        (kubernetes._has_ports, {"spec.type": "ExternalName"}, True),
        (kubernetes._has_ports, {"spec.type": "ClusterIP", "spec.clusterIP": "10.0.0.1"}, False),
        (kubernetes._names_requests, {}, True),
        (kubernetes._names_requests, {f"{DEVICES}.config": [{"opaque": {}}]}, True),
        (
            kubernetes._names_requests,
            {f"{DEVICES}.requests": [{"name": "a"}], f"{DEVICES}.constraints": [{"requests": ["a", "a/first"]}]},
            True,
        ),
        (
            kubernetes._names_requests,
            {f"{DEVICES}.requests": [{"name": "a"}], f"{DEVICES}.constraints": [{"requests": ["a", "b"]}]},
            False,
        ),
        (
            kubernetes._names_requests,
            {f"{DEVICES}.requests": [{"name": "a"}], f"{DEVICES}.config": [{"requests": ["b"]}]},
            False,
        ),
        (kubernetes_pods._selected, {}, True),
        (kubernetes_pods._selected, {SELECTOR: {"a": "b"}}, False),
        (kubernetes_pods._selected, {LABELS: {"a": "b", "c": "d"}, SELECTOR: {"a": "b"}}, True),
        (kubernetes_pods._selected, {LABELS: {"a": "b"}, SELECTOR: {"a": "b", "c": "d"}}, False),
        (kubernetes_pods._selected, {LABELS: {"a": "b"}, SELECTOR: {"a": "b", "c": LATER}}, True),
        (kubernetes_pods._restarts("Always"), {}, True),
        (kubernetes_pods._restarts("Always"), {"spec.template.spec.hostIPC": True}, True),
        (kubernetes_pods._restarts("Always"), {"spec.template.spec.restartPolicy": "Never"}, False),
        (kubernetes_pods._restarts("OnFailure", "Never"), {"spec.template.spec.restartPolicy": "Never"}, True),
        (kubernetes_pods._restarts("OnFailure", "Never"), {"spec.template.spec.hostIPC": True}, False),
        (kubernetes_pods._indexed, {}, False),
        (kubernetes_pods._indexed, {"spec.completionMode": "Indexed"}, True),
        (kubernetes_pods._index_fits, {"metadata.name": "n" * 70, "spec.completions": 2}, True),
        (kubernetes_pods._index_fits, {"metadata.name": "n" * 70, "spec.completionMode": "Indexed"}, True),
    ],
)
def test_a_rule(function: Callable[[Any], bool], inputs: dict[str, Any], fits: bool):
    """What keeps to it, and what does not."""
    assert bool(function(inputs_with(*inputs.items()))) is fits


def pod(*containers: Any, **spec: Any) -> dict[str, Any]:
    """A Job's pod; the last container is an init container."""
    *own, first = containers
    return {"spec": {"template": {"spec": {"containers": own, "initContainers": [first], **spec}}}}


def paths(check: Any, inputs: dict[str, Any]) -> list[str]:
    """Where a rule of pods is broken, below the pod's spec."""
    return [each.removeprefix("spec.template.spec.") for each in check(inputs, ExistingResources())]


def test_names_that_a_container_uses_are_the_pod_s():
    """Mounts are of its volumes, wherever the container stands."""
    mounts = [{"name": "a", "volumeMounts": [{"name": "v"}, {"name": "x"}]}, {"volumeMounts": [{"name": "w"}]}]
    check = kubernetes_pods._among("volumeMounts.name", "volumes")

    assert paths(check, pod(*mounts, volumes=[{"name": "v"}, {"name": "w"}])) == ["containers[0].volumeMounts[1].name"]
    assert paths(check, pod(*mounts, volumes=[{"name": "v"}])) == [
        "initContainers[0].volumeMounts[0].name",
        "containers[0].volumeMounts[1].name",
    ]


def test_ports_and_requests_have_their_places():
    """Each port that does not exist, and each request above its limit, among others that are right."""
    ports = {"ports": [{"name": "http", "containerPort": 80}, {"containerPort": 0}, {"containerPort": LATER}]}
    probed = {"startupProbe": {"grpc": {"port": "http"}}, "livenessProbe": {"httpGet": {"port": "other"}}}
    asked = {"resources": {"requests": {"cpu": "1", "memory": "2Gi", "x/gpu": "1"}, "limits": {"memory": "1Gi"}}}

    assert paths(kubernetes_pods._ports, pod({**ports, **probed}, {})) == [
        "containers[0].ports[1].containerPort",
        "containers[0].livenessProbe.httpGet.port",
    ]
    assert paths(kubernetes_pods._requests_within_limits, pod(asked, {})) == [
        "containers[0].resources.requests.memory",
        "containers[0].resources.requests.x/gpu",
    ]


@pytest.mark.parametrize(
    ("quantity", "number"),
    [
        ("1", 1.0),
        (2, 2.0),
        ("1500m", 1.5),
        ("2k", 2000.0),
        ("1Ki", 1024.0),
        ("3Mi", 3.0 * 2**20),
        ("1E", None),
        (None, None),
    ],
)
def test_quantities(quantity: Any, number: float | None):
    """In the units of Kubernetes."""
    assert kubernetes_pods._amount(quantity) == number


def test_every_object_has_a_name_that_is_free():
    """Labels, annotations and names of all; roles may have other names, and a release is no object."""
    assert [len(kubernetes.every(token)) for token in (CONFIG, "kubernetes:rbac.authorization.k8s.io/v1:Role")] == [
        4,
        3,
    ]
    assert kubernetes.every("kubernetes:helm.sh/v3:Release") == ()
    labels = {"metadata": {"name": "a", "labels": {"team": "a", "x": "a b", "y": LATER}}}
    assert [each.path for each in broken(CONFIG, labels)] == ["metadata.labels"]
    assert broken(CONFIG, {"metadata": {"name": "a", "labels": {"team": "a", "y": LATER}}}) == []
    assert [each.path for each in broken(CONFIG, {"data": {"good": "", "bad/key": ""}})] == ["data"]
    assert kubernetes._data_fits({"data": {"a": "b" * 1_000_000}, "binaryData": {"c": "d" * 48_576}})
    assert not kubernetes._data_fits({"data": {"a": "b" * 1_000_000}, "binaryData": {"c": "d" * 48_577}})


def test_what_makes_constraints_and_examples():
    """They are made when the module is imported: from the same parts again they are the same."""
    token, rules = amazon_ec2._permission("Ingress")

    assert amazon_ec2.CONSTRAINTS[token][0].words == rules[0].words and len(rules) == 3
    assert google_container._affinity(key="k") == {
        "nodeConfig": {"reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION", "key": "k"}}
    }
    assert kubernetes._helm("action/install.go").ref == "github.com/helm/helm v3.21.1 pkg/action/install.go"
    assert kubernetes._library("a.go").ref == "github.com/kubernetes/apimachinery v0.36.3 pkg/a.go"
    assert kubernetes._claim({"name": "a"}, config=[1]) == {
        "spec": {"spec": {"devices": {"requests": [{"name": "a"}], "config": [1]}}}
    }
    assert kubernetes._named("a") == {"metadata": {"name": "a"}}
    assert kubernetes._list_of_32("a").words == "Too many: must have at most 32 items"
    assert kubernetes_pods._one(image="i") == {
        "spec": {"template": {"spec": {"containers": [{"name": "a", "image": "i"}]}}}
    }
