"""The policies in CEL do to a pod what the command does in Python: they change it alike, and refuse it in its words."""

from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from rdma_cluster.incluster.addons.injection.plan import InjectionPlan
from rdma_cluster.injection import SWITCH, inject
from tests.examples import examples
from tests.injected_pods import pods
from tests.injection.cel import evaluate
from tests.injection.plans import POOL_LABEL, plan, pod

MACHINES = {
    "efa-device-plugin": ("p5.48xlarge", "p4d.24xlarge"),
    "efa": ("p5.48xlarge",),
    "gib": ("a4-highgpu-8g",),
    "tcpx": ("a3-highgpu-8g",),
    "tcpxo": ("a3-megagpu-8g",),
    "roce-host": ("BM.GPU.H100.8",),
    "roce-mlnxnics": ("BM.GPU.B200.8",),
    "infiniband-rdma-ib": ("Standard_ND96isr_H100_v5",),
}
Pod = dict[str, Any]


@cache
def planned(fabric: str, **more: bool) -> InjectionPlan:
    """The policies of a cluster with each machine of a fabric."""
    return plan(
        *((machine, fabric) for machine in MACHINES[fabric]),
        taint={"key": "nvidia.com/gpu", "value": "present"},
        **more,
    )


def as_stored(value: Any) -> Any:
    """A value as the API has it: without nulls and empty parts, and with quantities as texts."""
    if isinstance(value, dict):
        kept = {key: as_stored(of) for key, of in value.items()}
        return {key: str(of) if key == "nvidia.com/gpu" else of for key, of in kept.items() if of not in (None, {}, [])}
    return [as_stored(each) for each in value] if isinstance(value, list) else value


def asked(pod: Pod) -> Pod:
    """A pod before policies see it, to which the API server has added what is always there."""
    return {"metadata": {}, **as_stored(pod)}


def concerns(spec: dict[str, Any], pod: Pod) -> bool:
    """Whether a policy looks at a pod."""
    return all(evaluate(each["expression"], {"object": pod}) is True for each in spec["matchConditions"])


def names_of(spec: dict[str, Any], pod: Pod) -> dict[str, Any]:
    """The pod and each variable, in their order."""
    names: dict[str, Any] = {"object": pod, "variables": {}}
    for each in spec["variables"]:
        names["variables"][each["name"]] = evaluate(each["expression"], names)
    return names


def patched(pod: Pod, patches: list[dict[str, Any]]) -> Pod:
    """The pod after JSON patches (RFC 6902), each of which adds something."""
    changed = deepcopy(pod)
    for patch in patches:
        assert patch.keys() == {"op", "path", "value"} and patch["op"] == "add"
        *above, last = patch["path"].split("/")[1:]
        part: Any = changed
        for step in above:
            part = part[int(step)] if isinstance(part, list) else part[step]
        if not isinstance(part, list):
            part[last] = patch["value"]
        else:
            part.insert(len(part) if last == "-" else int(last), patch["value"])
    return changed


def changed_by(found: InjectionPlan, pod: Pod) -> Pod:
    """The pod as the policies that change pods leave it."""
    for policy in found.policies:
        if policy["kind"] in ("MutatingAdmissionPolicy", "MutatingPolicy") and concerns(policy["spec"], pod):
            (mutation,) = policy["spec"]["mutations"]
            pod = patched(pod, evaluate(mutation["jsonPatch"]["expression"], names_of(policy["spec"], pod)))
    return pod


def refused_by(found: InjectionPlan, pod: Pod) -> list[str]:
    """The words of the policies that refuse a pod, once it is changed."""
    said = []
    for policy in found.policies:
        spec = policy["spec"]
        if policy["kind"] != "ValidatingAdmissionPolicy" or not concerns(spec, pod):
            continue
        names = names_of(spec, pod) if "variables" in spec else {"object": pod}
        for each in spec["validations"]:
            if not evaluate(each["expression"], names):
                said.append(
                    evaluate(each["messageExpression"], names) if "messageExpression" in each else each["message"]
                )
    return said


def agree(found: InjectionPlan, asked_for: Pod) -> None:
    """Assert that policies and command change a pod alike, and refuse it in the same words."""
    before = asked(asked_for)
    made = inject(before, found.patterns, found.scope)
    after = changed_by(found, before)

    assert as_stored(after) == as_stored(made.pod)
    assert "; ".join(refused_by(found, after)) == "; ".join(made.refusals)
    if not made.refusals:
        assert changed_by(found, after) == after


@pytest.mark.parametrize("fabric", MACHINES)
def test_policies_serve_each_number_of_gpus_on_each_window(fabric: str):
    """A GPU more than the node has is refused."""
    found = planned(fabric)
    for number, pattern in enumerate(found.patterns):
        for name in pattern["shapes"]:
            gpus, _, window = name.partition("-")
            served = pod(gpus, nodeSelector={POOL_LABEL: f"p{number}"})
            if window:
                served["metadata"]["annotations"]["rdma-cluster/rails"] = window
            agree(found, served)
            assert changed_by(found, asked(served))["metadata"]["labels"] == pattern["labels"]
        more = pod(99, nodeSelector={POOL_LABEL: f"p{number}"})
        agree(found, more)
        assert refused_by(found, asked(more)) != []


GPUS, ALL = ({"resources": {"limits": {"nvidia.com/gpu": number}}} for number in "48")
LACKING = {"image": "vllm/vllm-openai"}
OWN: dict[str, list[dict[str, Any]]] = {
    # What a pod brings to its spec, or, below "main", to its container.
    "plugin": [{"main": {**LACKING, "env": [{"name": "NCCL_NET_PLUGIN", "value": "x"}]}}, {"main": LACKING}],
    "folders": [
        {"main": {"env": [{"name": "LD_LIBRARY_PATH", **value}, {"name": "HOME", "value": "x"}]}}
        for value in ({"value": "/a"}, {"value": "/usr/local/nvidia/lib64:/a"}, {"value": ""})
    ],
    "context": [{"main": {"securityContext": {key: of}}}
                for key in ("privileged", "allowPrivilegeEscalation") for of in (False, True)],
    "requests": [{"main": {"resources": {"limits": {"nvidia.com/gpu": "8", "cpu": "4"},
                                         "requests": {"nvidia.com/gpu": "8", "cpu": "2"}}}}],
    "tolerations": [
        {"tolerations": [toleration, {"key": "b", "operator": "Exists"}]}
        for toleration in ({"key": "nvidia.com/gpu", "value": "present"}, {"key": "nvidia.com/gpu"})
    ],
    "nodes": [{"nodeSelector": {POOL_LABEL: "p0", "disk": "fast"}, "hostNetwork": True, "dnsPolicy": "ClusterFirst"}],
    "more containers": [
        {"containers": [{"name": "a", **GPUS}, {"name": "b", **GPUS}]},
        {"containers": [{"name": "a", **GPUS}], "initContainers": [{"name": "b", **GPUS}, {"name": "c"}]},
        {"containers": [{"name": "a"}], "initContainers": [{"name": "b", **GPUS}]},
        {"containers": [{"name": "a", **GPUS}], "initContainers": [{"name": "b", **ALL}]},
        {"containers": [{"name": "a", **ALL}, {"name": "b", **GPUS}]},
    ],
    "sidecars": [{"initContainers": [{"name": name, "image": "x"}]} for name in ("tcpx-daemon", "tcpxo-daemon")],
    "volumes": [{"volumes": [{"name": name, "emptyDir": {}}]} for name in ("rdma-nvidia", "rdma-shm")],
}  # fmt: skip


@pytest.mark.parametrize("brings", OWN)
@pytest.mark.parametrize("fabric", MACHINES)
def test_policies_and_command_agree_about_what_a_pod_brings(fabric: str, brings: str):
    """They also agree where all pods of a namespace are asked for."""
    found, every = planned(fabric), planned(fabric, every_pod=True, nemo=True)
    for own in OWN[brings]:
        more = {key: value for key, value in own.items() if key != "main"}
        given_pod = pod(8, **{"nodeSelector": {POOL_LABEL: "p0"}, **more})
        given_pod["spec"]["containers"][0] |= own.get("main", {})
        agree(found, given_pod)
        agree(every, {**given_pod, "metadata": {"name": "x", "labels": {"app": "x"}}})


NEMO = "nmp.nvidia.com/enable-multi-node-networking"


@pytest.mark.parametrize("said", ["true", "replace", "false", "x", None])
@pytest.mark.parametrize("name", [SWITCH, NEMO])
def test_an_annotation_decides_whether_a_pod_asks(name: str, said: str | None):
    """Where a pod has to ask, `true` is asking; where all pods are asked for, `false` is not."""
    unasked = pod(8, nodeSelector={POOL_LABEL: "p0"})
    unasked["metadata"]["annotations"] = {} if said is None else {name: said}
    for every in (False, True):
        found = planned("efa-device-plugin", every_pod=every, nemo=True)
        agree(found, unasked)

        assert (changed_by(found, asked(unasked)) != asked(unasked)) is (
            said != "false" if every else said in ("true", "replace")
        )


@pytest.mark.parametrize("lacks", ["label", "limit", "network"])
def test_policies_trust_no_label_alone(lacks: str):
    """A pod that is short of nothing is left alone; another is served, or refused."""
    found = planned("efa-device-plugin" if lacks != "network" else "efa")
    done = changed_by(found, asked(pod(8, nodeSelector={POOL_LABEL: "p0"})))
    agree(found, done)
    assert refused_by(found, done) == []
    if lacks == "label":
        done["metadata"]["labels"]["rdma-cluster/injection"] = "other"
    elif lacks == "limit":
        del done["spec"]["containers"][0]["resources"]["limits"]["vpc.amazonaws.com/efa"]
    else:
        done["spec"]["hostNetwork"] = True
    agree(found, done)
    assert (refused_by(found, changed_by(found, done)) == []) is (lacks == "label")


def keeps(theirs: Pod, ours: Pod) -> None:
    """Assert that nothing is lost of what a user wrote."""
    for field in ("volumes", "tolerations", "resourceClaims"):
        assert ours["spec"].get(field, [])[: len(theirs["spec"].get(field, []))] == theirs["spec"].get(field, [])
    for mine, own in zip(ours["spec"]["containers"], theirs["spec"]["containers"], strict=True):
        assert mine.get("volumeMounts", [])[: len(own.get("volumeMounts", []))] == own.get("volumeMounts", [])
        for variable, of_user in zip(mine.get("env", []), own.get("env", []), strict=False):
            assert variable["name"] == of_user["name"] and variable.get("valueFrom") == of_user.get("valueFrom")
            assert variable.get("value", "").endswith(of_user.get("value", ""))


@pytest.mark.hypothesis
@pytest.mark.parametrize("fabric", MACHINES)
def test_policies_and_command_agree_about_any_pod(fabric: str):
    found = planned(fabric)
    templates = [each["resourceClaimTemplateName"] for pattern in found.patterns for each in pattern["resourceClaims"]]

    @settings(max_examples=examples(20, 250), deadline=None, database=None)
    @given(pods([*MACHINES[fabric]], POOL_LABEL, [*templates[:2], "of-the-user"]))
    def check(asked_for: Pod) -> None:
        before = deepcopy(asked_for)
        agree(found, asked_for)
        assert asked_for == before
        keeps(asked_for, inject(asked_for, found.patterns, found.scope).pod)

    check()
