"""Each part of a pod beside what it has already: what is added, what is left, and what is read out of it."""

from copy import deepcopy
from typing import Any

import pytest
from rdma_cluster.catalog.machine import INSTANCE_TYPE
from rdma_cluster.injection import SWITCH, inject, marked_only, pods_in
from rdma_cluster.injection.device_requests import GPU
from rdma_cluster.injection.expressions import RAILS
from rdma_cluster.injection.pattern import MACHINE_LABEL, VERSION_LABEL, claim_name
from rdma_cluster.injection.pod import copy, gpus_of, using_gpus
from tests.injection.test_inject import POOL_LABEL, made, plan, pod, refused

P5 = ("p5.48xlarge", "efa-device-plugin")
TAINT = {"key": GPU, "value": "present"}
EFA = "vpc.amazonaws.com/efa"


def changed(found: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """A pod that is served."""
    done = inject(asked, found.patterns, found.scope)
    assert done.refusals == ()
    return done.pod


@pytest.mark.parametrize(
    ("own", "enough"),
    [
        ([], False),
        ([{"key": GPU, "operator": "Exists"}], True),
        ([{"key": GPU, "operator": "Equal", "value": "present"}], True),
        ([{"key": GPU, "value": "present"}], True),
        ([{"key": GPU, "operator": "Equal", "value": "other"}], False),
        ([{"key": GPU}], False),
        ([{"operator": "Exists"}], True),
        ([{"key": "other", "operator": "Exists"}], False),
        ([{"key": "other", "operator": "Exists"}, {"key": GPU, "operator": "Exists"}], True),
    ],
)
def test_a_toleration_is_added_where_the_pod_has_none_that_does(own: list[dict[str, str]], enough: bool):
    """As Kubernetes reads them: Equal where nothing is said, and without a key all taints (k8s.io/api core/v1)."""
    found = plan(P5, taint=TAINT)
    tolerations = changed(found, pod(8, tolerations=deepcopy(own)))["spec"]["tolerations"]

    assert tolerations[: len(own)] == own
    assert len(tolerations) == len(own) + (not enough)
    assert enough or tolerations[-1]["key"] == GPU


@pytest.mark.parametrize(
    ("own", "becomes"),
    [
        ({}, {"add": ["IPC_LOCK"]}),
        ({"capabilities": None}, {"add": ["IPC_LOCK"]}),
        ({"capabilities": {"drop": ["NET_RAW"]}}, {"drop": ["NET_RAW"], "add": ["IPC_LOCK"]}),
        ({"capabilities": {"add": ["SYS_PTRACE"]}}, {"add": ["SYS_PTRACE", "IPC_LOCK"]}),
        ({"capabilities": {"add": ["IPC_LOCK"]}}, {"add": ["IPC_LOCK"]}),
        ({"capabilities": {"add": ["ALL"]}}, {"add": ["ALL"]}),
        ({"capabilities": {"drop": ["ALL"]}}, {"drop": ["ALL"], "add": ["IPC_LOCK"]}),
    ],
)
def test_capabilities_stand_beside_the_users(own: dict[str, Any], becomes: dict[str, Any]):
    """One that is there, or all of them, is not added to."""
    asked = pod(8)
    asked["spec"]["containers"][0]["securityContext"] = {"runAsUser": 1, **own}

    assert made(plan(P5), asked)["securityContext"] == {"runAsUser": 1, "capabilities": becomes}


@pytest.mark.parametrize(("own", "becomes"), [({}, True), ({"privileged": True}, True), ({"runAsUser": 0}, True)])
def test_what_opens_the_hosts_nics_is_privileged(own: dict[str, Any], becomes: bool):
    """Where nothing hands them out."""
    asked = pod(8)
    asked["spec"]["containers"][0]["securityContext"] = own

    context = made(plan(("BM.GPU.H100.8", "roce-host")), asked)["securityContext"]
    assert context["privileged"] is becomes
    assert own.items() <= context.items()


@pytest.mark.parametrize(
    ("spec", "policy"),
    [
        ({}, "ClusterFirstWithHostNet"),
        ({"dnsPolicy": "ClusterFirst"}, "ClusterFirstWithHostNet"),
        ({"dnsPolicy": None}, "ClusterFirstWithHostNet"),
        ({"dnsPolicy": "Default"}, "Default"),
        ({"dnsPolicy": "None"}, "None"),
        ({"hostNetwork": True, "dnsPolicy": "ClusterFirst"}, "ClusterFirstWithHostNet"),
    ],
)
def test_names_of_services_are_found_from_the_hosts_network(spec: dict[str, Any], policy: str):
    """Where the user has not said how names are found."""
    done = changed(plan(("BM.GPU.H100.8", "roce-host")), pod(8, **spec))["spec"]

    assert (done["hostNetwork"], done["dnsPolicy"]) == (True, policy)


def test_a_pod_in_its_own_network_stays_there():
    """And its names with it."""
    done = changed(plan(P5), pod(8, dnsPolicy="ClusterFirst"))["spec"]

    assert "hostNetwork" not in done and done["dnsPolicy"] == "ClusterFirst"


@pytest.mark.parametrize(
    ("spec", "selector"),
    [
        ({}, {POOL_LABEL: "p0"}),
        ({"nodeSelector": {"disk": "fast"}}, {POOL_LABEL: "p0", "disk": "fast"}),
        ({"nodeSelector": {POOL_LABEL: "p0"}}, {POOL_LABEL: "p0"}),
        ({"nodeSelector": {INSTANCE_TYPE: "p5.48xlarge"}}, {INSTANCE_TYPE: "p5.48xlarge"}),
    ],
)
def test_a_pod_that_names_no_nodes_is_led_to_its_machines(spec: dict[str, Any], selector: dict[str, str]):
    """One that names the machine by its pool or its type is led nowhere else."""
    assert changed(plan(P5), pod(8, **spec))["spec"]["nodeSelector"] == selector


def affinity(*terms: list[dict[str, Any]]) -> dict[str, Any]:
    """Of nodes; a pod fits where it fits one of the terms."""
    required = {"nodeSelectorTerms": [{"matchExpressions": each} for each in terms]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


P4D = {"key": INSTANCE_TYPE, "operator": "In", "values": ["p4d.24xlarge"]}
BOTH = ("p5.48xlarge", "efa-device-plugin"), ("p4d.24xlarge", "efa-device-plugin")


@pytest.mark.parametrize(
    ("terms", "fits"),
    [
        ([[P4D]], True),
        ([[{"key": "disk", "operator": "Exists"}, P4D]], True),
        ([[P4D], [P4D]], True),
        ([[P4D], [{"key": "disk", "operator": "Exists"}]], False),
        ([[{**P4D, "values": ["p4d.24xlarge", "p5.48xlarge"]}]], False),
        ([[{**P4D, "operator": "NotIn"}]], False),
        ([[{**P4D, "values": ["m5.large"]}]], False),
        ([[{"key": INSTANCE_TYPE, "operator": "Exists"}]], False),
        ([[]], False),
        ([], False),
    ],
)
def test_every_term_of_an_affinity_names_the_machine(terms: list[list[dict[str, Any]]], fits: bool):
    """Else the pod may land on another."""
    found, asked = plan(*BOTH), pod(8, **affinity(*terms))

    assert bool(inject(asked, found.patterns, found.scope).refusals) is not fits
    if fits:
        done = changed(found, asked)["spec"]
        assert done["containers"][0]["resources"]["limits"][EFA] == "4"
        assert "nodeSelector" not in done


@pytest.mark.parametrize(
    "spec",
    [
        {"nodeSelector": {INSTANCE_TYPE: "m5.large"}},
        affinity([{**P4D, "values": ["m5.large"]}]),
        affinity([{"key": "disk", "operator": "Exists"}, {**P4D, "operator": "NotIn"}]),
    ],
)
def test_a_pod_that_names_other_nodes_is_not_the_only_machines(spec: dict[str, Any]):
    """Though there is no other in the cluster."""
    assert "of no machine" in refused(plan(P5), pod(8, **spec))


def test_the_machine_that_somebody_chose_serves_pods_that_name_none():
    """Of a stack with two; who chooses the one that it has not gets nothing."""
    found = plan(P5, ("p4d.24xlarge", "efa-device-plugin"))
    assert "of no machine, or of several" in refused(found, pod(8))

    chosen = marked_only(found.patterns, P5[0])
    assert inject(pod(8), chosen, found.scope).pod == inject(pod(8), plan(P5).patterns, found.scope).pod != pod(8)
    assert marked_only(found.patterns, "a4-highgpu-8g") == ()


def test_a_pod_without_gpus_is_left_alone():
    """Though it asks for the fabric: it has no use for it."""
    for limits in ({}, {GPU: 0}, {GPU: "0"}, {"cpu": "1"}):
        asked = pod(8)
        asked["spec"]["containers"][0]["resources"] = {"limits": limits}
        found = plan(P5)
        assert inject(asked, found.patterns, found.scope).pod == asked
    asked["spec"]["containers"][0]["resources"] = None
    assert gpus_of(asked["spec"]) == {}


def test_only_who_uses_gpus_is_changed():
    """Beside it a container that logs; a claim of the pool's own templates is a use, another's is none."""
    asked = pod(8)
    asked["spec"]["containers"].append({"name": "logs", "image": "x"})
    found = plan(("p5.48xlarge", "efa"))
    (pattern,) = found.patterns
    done = changed(found, asked)["spec"]
    assert done["containers"][1] == {"name": "logs", "image": "x"}
    assert "env" in done["containers"][0]

    own, other = pattern["resourceClaims"][0]["resourceClaimTemplateName"], "of-the-user"
    for template, used in ((own, {"main"}), (other, set())):
        claimed = {"resourceClaims": [{"name": "c", "resourceClaimTemplateName": template}]}
        containers = [
            {"name": "main", "resources": {"claims": [{"name": "x"}, {"name": "c"}]}},
            {"name": "side", "resources": {"claims": [{"name": "x"}]}},
            {"name": "bare"},
        ]
        assert using_gpus({**claimed, "containers": containers}, pattern) == used


def test_an_init_container_is_one_of_the_pods():
    """It asks for GPUs as others do; what all ask for together is counted of those that run beside each other."""
    asked = pod(4)
    first = deepcopy(asked["spec"]["containers"][0]) | {"name": "first"}
    asked["spec"]["initContainers"] = [first]
    asked["spec"]["containers"][0]["resources"]["limits"][GPU] = 8
    done = changed(plan(P5), asked)["spec"]

    assert [each["resources"]["limits"][EFA] for each in done["initContainers"]] == ["16"]
    assert done["containers"][0]["resources"]["limits"][EFA] == "32"


def test_sidecars_come_before_what_a_pod_begins_with():
    """A container of the same name is the user's, and no second one is put beside it."""
    found = plan(("a3-highgpu-8g", "tcpx"))
    (pattern,) = found.patterns
    names = [each["name"] for each in pattern["sidecars"]]
    assert names
    asked = pod(8, initContainers=[{"name": "mine", "image": "x"}])
    assert [each["name"] for each in changed(found, asked)["spec"]["initContainers"]] == [*names, "mine"]

    asked["spec"]["initContainers"][0]["name"] = names[0]
    done = changed(found, asked)["spec"]
    assert [each["name"] for each in done["initContainers"]] == [*names[1:], names[0]]
    mounted = {
        mount["name"]
        for each in (*done["containers"], *done["initContainers"])
        for mount in each.get("volumeMounts", [])
    }
    assert mounted == {each["name"] for each in done["volumes"]}


def test_labels_are_ours_and_annotations_the_users():
    """The one tells which pattern it was; of the other the user's own value stays."""
    found = plan(("a3-megagpu-8g", "tcpxo"))
    (pattern,) = found.patterns
    key = next(iter(pattern["annotations"]))
    asked = pod(8)
    asked["metadata"]["labels"] = {"app": "train", MACHINE_LABEL: "mine"}
    asked["metadata"]["annotations"][key] = "mine"
    metadata = changed(found, asked)["metadata"]

    assert metadata["labels"] == {"app": "train", **pattern["labels"]}
    assert metadata["labels"][MACHINE_LABEL] == "a3-megagpu-8g" and metadata["labels"][VERSION_LABEL]
    assert metadata["annotations"] == {**pattern["annotations"], SWITCH: "true", key: "mine"}


@pytest.mark.parametrize("lacks", ["label", "devices", "network"])
def test_a_pod_that_has_its_fabric_is_left_alone(lacks: str):
    """Its label, its devices and its own network together prove it; short of one it is given them, or refused."""
    found = plan(P5 if lacks != "network" else ("p5.48xlarge", "efa"))
    done = changed(found, pod(8))
    assert inject(done, found.patterns, found.scope).pod == done
    if lacks == "label":
        del done["metadata"]["labels"]
        assert VERSION_LABEL in changed(found, done)["metadata"]["labels"]
    elif lacks == "devices":
        del done["spec"]["containers"][0]["resources"]["limits"][EFA]
        assert "was not given it" in refused(found, done)
    else:
        done["spec"]["hostNetwork"] = True
        assert "the pod is in the host's network" in refused(found, done)


@pytest.mark.parametrize(
    ("gpus", "rails", "words"),
    [
        (9, "", "container main asks for 9 GPUs, but p5.48xlarge serves 1, 2, 3, 4, 5, 6, 7 or 8 GPUs a container"),
        (8, "x", "container main asks for 8 GPUs on x, but p5.48xlarge serves"),
        (1, "x", "container main asks for 1 GPU on x, but p5.48xlarge serves"),
    ],
)
def test_words_of_a_number_that_is_not_served(gpus: int, rails: str, words: str):
    """One GPU is no plural; rails are named where they were asked for."""
    asked = pod(gpus)
    if rails:
        asked["metadata"]["annotations"][RAILS] = rails

    assert refused(plan(P5), asked).startswith(words)


def test_a_part_that_is_copied_shares_nothing():
    """Neither with the original nor within itself."""
    part = {"a": [1]}
    whole = copy({"x": part, "y": part, "z": [part, part]})
    whole["x"]["a"].append(2)
    whole["z"][0]["a"].append(3)

    assert whole == {"x": {"a": [1, 2]}, "y": {"a": [1]}, "z": [{"a": [1, 3]}, {"a": [1]}]}
    assert part == {"a": [1]}


def test_a_claims_name_is_a_label():
    """However long its template's is, and different templates' stay apart."""
    long = [f"a.b-{'x' * 80}{end}" for end in "12"]

    assert claim_name("p5.48xlarge-whole") == "rdma-p5-48xlarge-whole"
    assert len(claim_name("x" * 58)) == 63 and claim_name("x" * 58) == "rdma-" + "x" * 58
    assert len(claim_name("x" * 59)) == 63 and claim_name("x" * 59) != claim_name("x" * 60)
    assert len({claim_name(name) for name in long}) == 2
    assert all(len(claim_name(name)) == 63 and "." not in claim_name(name) for name in long)


def test_what_is_no_pod_holds_none():
    """Texts, numbers, a spec without containers; and no pod is looked for within one."""
    inner = {"spec": {"containers": [{"name": "inner"}]}}
    outer = {"spec": {"containers": [inner]}}

    assert list(pods_in(["x", 1, None, {"spec": "x"}, {"spec": {"containers": "x"}}])) == []
    assert list(pods_in(outer)) == [outer]
    assert list(pods_in({"items": [inner, {"spec": {"template": inner}}]})) == [inner, inner]


def test_a_pod_of_which_one_container_was_served_is_not_done():
    """Its label is a claim of its own: the other's GPUs would speak TCP beside it."""
    found, asked = plan(P5), pod(4)
    asked["spec"]["containers"].append({**deepcopy(asked["spec"]["containers"][0]), "name": "second"})
    done = changed(found, asked)
    assert changed(found, done) == done

    for container in (0, 1):
        torn = deepcopy(done)
        del torn["spec"]["containers"][container]["resources"]["limits"][EFA]
        assert refused(found, torn)
