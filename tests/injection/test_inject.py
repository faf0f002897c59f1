"""What is done to a pod, without a cluster; the control plane's tests show that a real one does the same."""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog.machine import INSTANCE_TYPE
from rdma_cluster.incluster.addons.injection.args import FabricInjectionArgs
from rdma_cluster.incluster.addons.injection.plan import InjectionPlan, plan_injection
from rdma_cluster.incluster.plan.pool import InClusterPool
from rdma_cluster.injection import SWITCH, inject, pods_in
from rdma_cluster.injection.device_requests import GPU
from rdma_cluster.injection.pattern import claim_name
from tests.examples import examples
from tests.injected_pods import pods

POOL_LABEL = "example.com/pool"


def plan(*pools: tuple[str, str], **more: Any) -> InjectionPlan:
    """A cluster with pools of machines with a fabric."""
    named = [InClusterPool(name=f"p{i}", machine=machine, fabric=fabric) for i, (machine, fabric) in enumerate(pools)]
    errors = ErrorList()
    found = plan_injection(FabricInjectionArgs(pools=named, pool_label=POOL_LABEL, version="1.36", **more), errors)
    assert found is not None, errors.found()
    return found


def pod(gpus: int | str = 8, **spec: Any) -> dict[str, Any]:
    """A pod that asks for GPUs and the fabric."""
    container = {"name": "main", "image": "x", "resources": {"limits": {GPU: gpus}}}
    return {"metadata": {"name": "pod", "annotations": {SWITCH: "true"}}, "spec": {"containers": [container], **spec}}


def made(found: InjectionPlan, asked: dict[str, Any]) -> dict[str, Any]:
    """The first container of a pod that is served."""
    done = inject(asked, found.patterns, found.scope)
    assert done.refusals == ()
    return done.pod["spec"]["containers"][0]


def every_pod(pools: tuple[str, str]) -> InjectionPlan:
    """A cluster whose pods ask by asking for GPUs."""
    return plan(pools, every_pod=True)


def refused(found: InjectionPlan, asked: dict[str, Any]) -> str:
    """Why a pod is not."""
    done = inject(asked, found.patterns, found.scope)
    assert done.pod == asked
    return "; ".join(done.refusals)


@pytest.mark.parametrize(
    ("machine", "gpus", "devices"),
    [
        ("p5.48xlarge", 8, "32"),
        ("p5.48xlarge", 1, "4"),
        ("p5en.48xlarge", 3, "6"),
        ("p4d.24xlarge", 8, "4"),
        ("p4d.24xlarge", 1, "1"),
        ("p4d.24xlarge", 3, "2"),
        ("p6-b200.48xlarge", 5, "5"),
    ],
)
def test_devices_are_the_gpus_share(machine: str, gpus: int, devices: str):
    """As many EFA devices as the GPUs' part of the node has, rounded up; nobody wrote a number."""
    limits = made(plan((machine, "efa-device-plugin")), pod(gpus))["resources"]["limits"]

    assert limits == {GPU: gpus, "vpc.amazonaws.com/efa": devices}


def test_claims_take_the_place_of_the_limit():
    """Claims hand out the GPUs with their NICs; 40 devices are more than one claim holds."""
    asked = pod(8)
    done = inject(asked, (found := plan(("p5.48xlarge", "efa"))).patterns, found.scope).pod["spec"]

    assert [each["resourceClaimTemplateName"] for each in done["resourceClaims"]] == [
        "p5.48xlarge-whole-gpus",
        "p5.48xlarge-whole-nics",
    ]
    resources = done["containers"][0]["resources"]
    assert resources["limits"] == {}
    assert [each["name"] for each in resources["claims"]] == [each["name"] for each in done["resourceClaims"]]


def test_windows_without_rails_are_named_by_their_numa_node():
    """A claim of a NUMA node's GPUs and NICs names no rails, and has two windows all the same."""
    found, asked = plan(("Standard_ND96isr_H200_v5", "infiniband"), claims={"pairs": [1]}), pod(4)
    names = []
    for number in (0, 1):
        asked["metadata"]["annotations"]["rdma-cluster/rails"] = f"numa-{number}"
        names += [each["name"] for each in made(found, asked)["resources"]["claims"]]

    assert names == [claim_name(f"standard-nd96isr-h200-v5-numa-{number}") for number in (0, 1)]


def test_rails_are_honoured_or_refused():
    """The window that the pod names, or no pod."""
    found, asked = plan(("a4-highgpu-8g", "gib")), pod(2)
    asked["metadata"]["annotations"]["rdma-cluster/rails"] = "rails-4-5"

    assert made(found, asked)["resources"]["claims"] == [{"name": claim_name("a4-highgpu-8g-pairs-2-rails-4-5")}]
    asked["metadata"]["annotations"]["rdma-cluster/rails"] = "rails-4-6"
    assert refused(found, asked).startswith(
        "container main asks for 2 GPUs on rails-4-6, but a4-highgpu-8g serves 1, 2, 4 or 8 GPUs a container"
    )


def test_what_the_user_wrote_stays():
    """Own variables, an own /dev/shm, own capabilities and own devices."""
    asked = pod(8)
    own = asked["spec"]["containers"][0]
    own["env"] = [{"name": "NCCL_NET", "value": "Socket"}]
    own["volumeMounts"] = [{"name": "mine", "mountPath": "/dev/shm"}]
    own["securityContext"] = {"capabilities": {"add": ["SYS_PTRACE"]}}
    own["resources"]["limits"]["vpc.amazonaws.com/efa"] = 16
    done = made(plan(("p5.48xlarge", "efa-device-plugin")), asked)

    assert done["env"] == [{"name": "NCCL_NET", "value": "Socket"}, {"name": "NCCL_NET_PLUGIN", "value": "ofi"}]
    assert done["volumeMounts"] == own["volumeMounts"]
    assert done["securityContext"]["capabilities"]["add"] == ["SYS_PTRACE", "IPC_LOCK"]
    assert done["resources"]["limits"]["vpc.amazonaws.com/efa"] == 16


def test_folders_stand_before_the_users():
    """Where a container says itself where its libraries lie, it still finds the plugin; a second time adds nothing."""
    found, asked = plan(("a3-megagpu-8g", "tcpxo")), pod(8)
    asked["spec"]["containers"][0]["env"] = [{"name": "LD_LIBRARY_PATH", "value": "/usr/local/cuda/lib64"}]
    done = inject(asked, found.patterns, found.scope).pod

    value = done["spec"]["containers"][0]["env"][0]["value"]
    assert value == "/usr/local/nvidia/lib64:/usr/local/cuda/lib64"
    del done["metadata"]["labels"]
    assert inject(done, found.patterns, found.scope).pod["spec"]["containers"][0]["env"][0]["value"] == value


def test_one_part_under_two_names():
    """YAML's anchors make one part of two: only the container with GPUs is changed."""
    context = {"runAsUser": 1}
    asked = pod(8)
    asked["spec"]["containers"][0]["securityContext"] = context
    asked["spec"]["containers"].append({"name": "logs", "image": "x", "securityContext": context})
    found = plan(("p5.48xlarge", "efa-device-plugin"))

    assert inject(asked, found.patterns, found.scope).pod["spec"]["containers"][1]["securityContext"] == {
        "runAsUser": 1
    }


@pytest.mark.parametrize(
    ("fabric", "machine", "spec", "words"),
    [
        ("efa-device-plugin", "p5.48xlarge", {}, "container main asks for 16 GPUs, but p5.48xlarge serves 1, 2, 3, 4"),
        ("infiniband-rdma-ib", "Standard_ND96isr_H100_v5", {}, "Standard_ND96isr_H100_v5 serves 8 GPUs a container"),
        ("efa", "p5.48xlarge", {"hostNetwork": True}, "DraNet starts no pod that claims NICs; remove hostNetwork"),
        ("roce-mlnxnics", "BM.GPU.B200.8", {"hostNetwork": True}, "no further network is attached to it"),
        ("tcpxo", "a3-megagpu-8g", {"hostNetwork": True}, "no further network is attached to it"),
        ("efa", "p5.48xlarge", {"nodeSelector": {POOL_LABEL: "other"}}, f"say in its nodeSelector {POOL_LABEL}=p0 or"),
    ],
)
def test_what_cannot_be_served(fabric: str, machine: str, spec: dict[str, Any], words: str):
    """Is refused with the reason, and not started on TCP."""
    assert words in refused(plan((machine, fabric)), pod(8 if spec else 16, **spec))


def test_a_label_alone_is_not_the_fabric():
    """A pod that says it was given its devices, and has none, does not start without them."""
    found = plan(("p5.48xlarge", "efa-device-plugin"))
    asked = pod(8)
    asked["metadata"]["labels"] = dict(found.patterns[0]["labels"])

    assert "was not given it" in refused(found, asked)


def test_containers_share_a_node():
    """Two containers get their shares; more than the node has are refused, and so are two claims of one pod."""
    both = pod(4)
    both["spec"]["containers"].append({**deepcopy(both["spec"]["containers"][0]), "name": "second"})

    assert (
        made(plan(("p5.48xlarge", "efa-device-plugin")), both)["resources"]["limits"]["vpc.amazonaws.com/efa"] == "16"
    )
    assert "several containers ask for GPUs" in refused(plan(("p5.48xlarge", "efa")), both)
    for container in both["spec"]["containers"]:
        container["resources"]["limits"][GPU] = 8
    assert "its containers ask for 16 nvidia.com/gpu together, but a node has 8" in refused(
        plan(("p5.48xlarge", "efa-device-plugin")), both
    )


def test_pods_of_two_machines():
    """Each pod is its machine's, by instance type, by pool, by affinity; one that names none, or both, is nobody's."""
    found = plan(("p5.48xlarge", "efa-device-plugin"), ("p4d.24xlarge", "efa-device-plugin"))

    def affinity(*values: str) -> dict[str, Any]:
        term = {"matchExpressions": [{"key": INSTANCE_TYPE, "operator": "In", "values": list(values)}]}
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
        return {"affinity": {"nodeAffinity": required}}

    for spec in (
        {"nodeSelector": {POOL_LABEL: "p1"}},
        {"nodeSelector": {INSTANCE_TYPE: "p4d.24xlarge"}},
        affinity("p4d.24xlarge"),
    ):
        assert made(found, pod(8, **spec))["resources"]["limits"]["vpc.amazonaws.com/efa"] == "4"
    for spec in ({}, affinity("p5.48xlarge", "p4d.24xlarge")):
        assert refused(found, pod(8, **spec)).startswith("the pod asks for the fabric of no machine, or of several")


def test_pods_are_found_in_anything():
    """A template of a Job, of the roles of an MPIJob, of an item in a list."""
    spec = pod()["spec"]
    job = {"kind": "Job", "spec": {"template": {"metadata": {"name": "a"}, "spec": spec}}}
    roles = {"Worker": {"template": {"metadata": {"name": "b"}, "spec": spec}}}
    items = {"kind": "List", "items": [job, {"kind": "MPIJob", "spec": {"mpiReplicaSpecs": roles}}]}

    assert [each["metadata"]["name"] for each in pods_in(items)] == ["a", "b"]


def test_a_namespace_asks_for_its_pods():
    """No annotation is needed, nor metadata at all; its value false leaves a pod out."""
    found, asked = every_pod(("p5.48xlarge", "efa-device-plugin")), pod(8)
    del asked["metadata"]

    assert made(found, asked)["resources"]["limits"]["vpc.amazonaws.com/efa"] == "32"
    asked["metadata"] = {"annotations": {SWITCH: "false"}}
    assert inject(asked, found.patterns, found.scope).pod == asked
    asked["metadata"] = {"annotations": {}}
    asked["spec"]["containers"][0]["resources"]["limits"][GPU] = 16
    assert refused(found, asked).endswith(
        'for a pod without the fabric, give it the annotation rdma-cluster/inject: "false"'
    )


def test_a_part_of_a_node_where_none_is_served():
    """The sentence names the fabric that would serve it."""
    said = refused(plan(("Standard_ND96isr_H100_v5", "infiniband-rdma-ib")), pod(4))

    assert said.endswith("serves 8 GPUs a container, rails unnamed; its fabric infiniband serves parts of a node, too")


def test_empty_requests():
    """As in sglang's own manifest, where nothing stands behind `requests:`."""
    asked = pod(8)
    asked["spec"]["containers"][0]["resources"]["requests"] = None

    assert made(plan(("p5.48xlarge", "efa")), asked)["resources"]["limits"] == {}


IMAGE = "vllm/vllm-openai:v0.28.0"


@pytest.mark.parametrize(
    ("image", "fabric", "fits"),
    [
        (IMAGE, "efa", False),
        (f"docker.io/{IMAGE}", "efa-device-plugin", False),
        (f"registry.example/{IMAGE}", "efa", True),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1", "efa", False),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1-efa-cuda13", "efa", True),
    ],
)
def test_images_without_the_plugin(image: str, fabric: str, fits: bool):
    """An image that is published without the plugin would speak TCP, or end at once; one's own may be called alike."""
    found, asked = plan(("p5.48xlarge", fabric)), pod(8)
    asked["spec"]["containers"][0]["image"] = image
    if fits:
        annotations = inject(asked, found.patterns, found.scope).pod["metadata"]["annotations"]
        assert annotations["rdma-cluster/image-needs"] == "aws-ofi-nccl 1.15 or later"
        return
    assert f"container main runs {image}, which holds no aws-ofi-nccl" in refused(found, asked)
    asked["spec"]["containers"][0]["env"] = [{"name": "NCCL_NET_PLUGIN", "value": "/opt/mine/libnccl-net.so"}]
    assert made(found, asked)["image"] == image


def test_an_image_for_another_processor():
    """What no policy can see is said on the pod."""
    found = plan(("a4x-highgpu-4g", "gib-arm64-managed"))
    done = inject(pod(4), found.patterns, found.scope).pod

    assert done["metadata"]["annotations"]["rdma-cluster/image-needs"] == "a build for arm64"


@pytest.mark.parametrize("key", ["privileged", "allowPrivilegeEscalation"])
def test_no_privilege(key: str):
    """Without it the NICs do not open, or the API server takes no such pod, in words that do not speak of NICs."""
    asked = pod(8)
    asked["spec"]["containers"][0]["securityContext"] = {key: False}

    assert "only a privileged container opens them" in refused(plan(("BM.GPU.H100.8", "roce-host")), asked)
    assert made(plan(("BM.GPU.H100.8", "roce-rdma-vf")), asked)["securityContext"][key] is False


SERVED = {
    "p5.48xlarge": "efa-device-plugin",
    "a4-highgpu-8g": "gib",
    "a3-megagpu-8g": "tcpxo",
    "BM.GPU.H100.8": "roce-host",
    "Standard_ND96isr_H100_v5": "infiniband-rdma-shared-ib",
}


@pytest.mark.hypothesis
@pytest.mark.parametrize("machine", SERVED)
def test_any_pod(machine: str):
    """Nothing is lost of what a user wrote, a second time changes nothing, and who did not ask is left alone."""
    found = plan((machine, SERVED[machine]))

    @settings(max_examples=examples(20, 200), deadline=None, database=None)
    @given(pods([machine], POOL_LABEL, ["of-the-user"]))
    def check(asked: dict[str, Any]) -> None:
        before = json.dumps(asked)
        done = inject(asked, found.patterns, found.scope)

        assert json.dumps(asked) == before
        assert inject(done.pod, found.patterns, found.scope) == done or done.refusals
        if asked["metadata"]["annotations"].get(SWITCH) != "true" or done.refusals:
            assert done.pod == asked
        for ours, theirs in zip(done.pod["spec"]["containers"], asked["spec"]["containers"], strict=True):
            mounts, variables = theirs.get("volumeMounts", []), theirs.get("env", [])
            assert ours.get("volumeMounts", [])[: len(mounts)] == mounts
            for mine, own in zip(ours.get("env", []), variables, strict=False):
                folders = own["name"] == "LD_LIBRARY_PATH" and "value" in own
                assert mine == ({**own, "value": mine["value"]} if folders else own)
                assert mine.get("value", "").endswith(own.get("value", ""))
        for field in ("volumes", "tolerations", "resourceClaims"):
            assert done.pod["spec"].get(field, [])[: len(asked["spec"].get(field, []))] == asked["spec"].get(field, [])

    check()
