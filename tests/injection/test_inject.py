"""Pods that injection serves or refuses; the control plane's tests show that a real cluster does the same."""

from copy import deepcopy
from typing import Any

import pytest
from rdma_cluster.catalog.machine import INSTANCE_TYPE
from rdma_cluster.injection import SWITCH, inject, marked_only, pods_in
from rdma_cluster.injection.device_requests import GPU
from rdma_cluster.injection.pattern import claim_name
from tests.injection.plans import (
    EFA,
    H100,
    ON_HOST,
    P4D,
    P5,
    P5_CLAIMED,
    POOL_LABEL,
    main_of,
    plan,
    pod,
    refused,
    served,
)


@pytest.mark.parametrize(
    ("machine", "gpus", "devices"),
    [("p5.48xlarge", 8, "32"), ("p5.48xlarge", 1, "4"), ("p4d.24xlarge", 3, "2"), ("p4d.24xlarge", 1, "1")],
)
def test_a_container_gets_its_gpus_share_of_the_nics(machine: str, gpus: int, devices: str):
    """The share is rounded up, and an init container, which ends before the others start, has its own."""
    asked = pod(gpus)
    asked["spec"]["initContainers"] = [deepcopy(asked["spec"]["containers"][0]) | {"name": "first"}]
    done = served(plan((machine, "efa-device-plugin")), asked)["spec"]

    for container in (*done["containers"], *done["initContainers"]):
        assert container["resources"]["limits"] == {GPU: gpus, EFA: devices}


def test_claims_take_the_place_of_the_limit():
    """40 devices of a p5 node are more than one claim holds; sglang's own manifest has null for its requests."""
    asked = pod(8)
    asked["spec"]["containers"][0]["resources"]["requests"] = None
    spec = served(plan(P5_CLAIMED), asked)["spec"]

    templates = [each["resourceClaimTemplateName"] for each in spec["resourceClaims"]]
    assert templates == ["p5.48xlarge-whole-gpus", "p5.48xlarge-whole-nics"]
    resources = spec["containers"][0]["resources"]
    assert resources["limits"] == {}
    assert [each["name"] for each in resources["claims"]] == [each["name"] for each in spec["resourceClaims"]]


def test_named_rails_are_honoured_or_refused():
    """A pod gets the window that it names, or does not start."""
    found, asked = plan(("a4-highgpu-8g", "gib")), pod(2)
    asked["metadata"]["annotations"]["rdma-cluster/rails"] = "rails-4-5"

    assert main_of(found, asked)["resources"]["claims"] == [{"name": claim_name("a4-highgpu-8g-pairs-2-rails-4-5")}]
    asked["metadata"]["annotations"]["rdma-cluster/rails"] = "rails-4-6"
    assert refused(found, asked).startswith("container main asks for 2 GPUs on rails-4-6")


def test_what_the_user_wrote_stays():
    """Variables, a /dev/shm, capabilities, devices, annotations and unrelated containers of the user's are kept."""
    asked = pod(8)
    own = asked["spec"]["containers"][0]
    own["env"] = [{"name": "NCCL_NET", "value": "Socket"}]
    own["volumeMounts"] = [{"name": "mine", "mountPath": "/dev/shm"}]
    own["securityContext"] = {"runAsUser": 1, "capabilities": {"add": ["SYS_PTRACE"]}}
    own["resources"]["limits"][EFA] = 16
    logs = {"name": "logs", "image": "x", "securityContext": own["securityContext"]}  # as an anchor of YAML has it
    asked["spec"]["containers"].append(logs)
    before = deepcopy(logs)
    done, beside = served(plan(P5), asked)["spec"]["containers"]

    assert [each["name"] for each in done["env"]] == ["NCCL_NET", "NCCL_NET_PLUGIN"] and done["env"][0] == own["env"][0]
    assert done["volumeMounts"] == own["volumeMounts"]
    assert done["securityContext"] == {"runAsUser": 1, "capabilities": {"add": ["SYS_PTRACE", "IPC_LOCK"]}}
    assert done["resources"]["limits"][EFA] == 16
    assert beside == before


def test_a_pod_is_led_to_its_nodes():
    """It gets the pool's selector and toleration; who names the pool or the machine is led nowhere else."""
    found = plan(P5, taint={"key": GPU, "value": "present"})
    led = served(found, pod(8, nodeSelector={"disk": "fast"}))["spec"]
    named = {"nodeSelector": {INSTANCE_TYPE: "p5.48xlarge"}, "tolerations": [{"operator": "Exists"}]}
    done = served(found, pod(8, **named))["spec"]

    assert led["nodeSelector"] == {POOL_LABEL: "p0", "disk": "fast"}
    assert [each["key"] for each in led["tolerations"]] == [GPU]
    assert {key: done[key] for key in named} == named


@pytest.mark.parametrize(
    ("own", "becomes"),
    [(None, "ClusterFirstWithHostNet"), ("ClusterFirst", "ClusterFirstWithHostNet"), ("None", "None")],
)
def test_a_pod_on_the_hosts_network_still_finds_services(own: str | None, becomes: str):
    """Unless its user has said how names are found. Nothing hands out the NICs, so it is privileged."""
    done = served(plan(ON_HOST), pod(8, **({"dnsPolicy": own} if own else {})))["spec"]

    assert (done["hostNetwork"], done["dnsPolicy"]) == (True, becomes)
    assert done["containers"][0]["securityContext"]["privileged"] is True


def test_sidecars_come_before_the_users_init_containers():
    """A container of the same name is the user's, and no second one is put beside it."""
    found = plan(("a3-highgpu-8g", "tcpx"))
    ours = [each["name"] for each in found.patterns[0]["sidecars"]]

    for own, expected in (("mine", [*ours, "mine"]), (ours[0], [*ours[1:], ours[0]])):
        done = served(found, pod(8, initContainers=[{"name": own, "image": "x"}]))["spec"]
        assert [each["name"] for each in done["initContainers"]] == expected
        mounts = [of for each in (*done["containers"], *done["initContainers"]) for of in each.get("volumeMounts", [])]
        assert {each["name"] for each in mounts} == {each["name"] for each in done["volumes"]}


@pytest.mark.parametrize(
    ("machine", "gpus", "spec", "words"),
    [
        (P5, 16, {}, "container main asks for 16 GPUs, but p5.48xlarge serves 1, 2, 3, 4"),
        ((H100, "infiniband-rdma-ib"), 4, {}, "its fabric infiniband serves parts of a node, too"),
        (P5_CLAIMED, 8, {"hostNetwork": True}, "DraNet starts no pod that claims NICs"),
        (("a3-megagpu-8g", "tcpxo"), 8, {"hostNetwork": True}, "no further network is attached to it"),
        (P5_CLAIMED, 8, {"nodeSelector": {POOL_LABEL: "other"}}, f"say in its nodeSelector {POOL_LABEL}=p0 or"),
    ],
)
def test_a_pod_that_cannot_be_served_is_refused(machine: Any, gpus: int, spec: dict[str, Any], words: str):
    """It would start on TCP otherwise."""
    assert words in refused(plan(machine), pod(gpus, **spec))


@pytest.mark.parametrize("key", ["privileged", "allowPrivilegeEscalation"])
def test_a_container_that_forbids_privilege_is_refused_where_it_needs_it(key: str):
    asked = pod(8)
    asked["spec"]["containers"][0]["securityContext"] = {key: False}

    assert "only a privileged container opens them" in refused(plan(ON_HOST), asked)
    assert main_of(plan(("BM.GPU.H100.8", "roce-rdma-vf")), asked)["securityContext"][key] is False


IMAGE = "vllm/vllm-openai:v0.28.0"


@pytest.mark.parametrize(
    ("image", "fits"),
    [
        (IMAGE, False),
        (f"docker.io/{IMAGE}", False),
        (f"registry.example/{IMAGE}", True),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1", False),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1-efa-cuda13", True),
    ],
)
def test_an_image_without_the_plugin_is_refused(image: str, fits: bool):
    """Whoever names a plugin knows what the image holds."""
    found, asked = plan(P5_CLAIMED), pod(8)
    container = asked["spec"]["containers"][0]
    container["image"] = image

    assert inject(asked, found.patterns, found.scope).refusals == () if fits else image in refused(found, asked)
    container["env"] = [{"name": "NCCL_NET_PLUGIN", "value": "/opt/mine/libnccl-net.so"}]
    assert main_of(found, asked)["image"] == image


def test_several_containers_share_a_node():
    """Together they ask for no more than it has, and by one claim at the most."""
    both = pod(4)
    both["spec"]["containers"].append({**deepcopy(both["spec"]["containers"][0]), "name": "second"})

    assert main_of(plan(P5), both)["resources"]["limits"][EFA] == "16"
    assert "several containers ask for GPUs" in refused(plan(P5_CLAIMED), both)
    for container in both["spec"]["containers"]:
        container["resources"]["limits"][GPU] = 8
    assert "its containers ask for 16 nvidia.com/gpu together, but a node has 8" in refused(plan(P5), both)


def affinity(*values: str, operator: str = "In") -> dict[str, Any]:
    """An affinity to nodes of these types."""
    term = {"matchExpressions": [{"key": INSTANCE_TYPE, "operator": operator, "values": list(values)}]}
    return {
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    }


def test_a_pod_of_two_machines_names_one_of_them():
    """It names the pool, the type, or an affinity; one that names none, both or another gets nothing."""
    found = plan(P5, P4D)

    for spec in ({"nodeSelector": {POOL_LABEL: "p1"}}, {"nodeSelector": {INSTANCE_TYPE: P4D[0]}}, affinity(P4D[0])):
        assert main_of(found, pod(8, **spec))["resources"]["limits"][EFA] == "4"
    for spec in ({}, affinity(P5[0], P4D[0]), affinity(P4D[0], operator="NotIn")):
        assert "of no machine, or of several" in refused(found, pod(8, **spec))
    for spec in ({"nodeSelector": {INSTANCE_TYPE: "m5.large"}}, affinity("m5.large")):
        assert "of no machine" in refused(plan(P5), pod(8, **spec))
    chosen = marked_only(found.patterns, P5[0])
    assert inject(pod(8), chosen, found.scope).pod == served(plan(P5), pod(8))
    assert marked_only(found.patterns, "a4-highgpu-8g") == ()


def test_a_namespace_can_ask_for_all_its_pods():
    """They need no annotation; its value false leaves a pod out, and a refusal says so."""
    found, asked = plan(P5, every_pod=True), pod(8)
    del asked["metadata"]

    assert main_of(found, asked)["resources"]["limits"][EFA] == "32"
    asked["spec"]["containers"][0]["resources"]["limits"][GPU] = 16
    assert refused(found, asked).endswith('give it the annotation rdma-cluster/inject: "false"')
    asked["metadata"] = {"annotations": {SWITCH: "false"}}
    assert inject(asked, found.patterns, found.scope).pod == asked


@pytest.mark.parametrize("limits", [{}, {GPU: 0}, {GPU: "0"}, {"cpu": "1"}])
def test_a_pod_without_gpus_is_left_alone(limits: dict[str, Any]):
    found, asked = plan(P5), pod(8)
    asked["spec"]["containers"][0]["resources"] = {"limits": limits}

    assert served(found, asked) == asked


def test_pods_are_found_in_any_manifest():
    """A Job has a template, an MPIJob has one a role, and a List has items; no pod is looked for within one."""
    spec = pod()["spec"]
    job = {"kind": "Job", "spec": {"template": {"metadata": {"name": "a"}, "spec": spec}}}
    roles = {"Worker": {"template": {"metadata": {"name": "b"}, "spec": spec}}}
    items = {"kind": "List", "items": [job, {"kind": "MPIJob", "spec": {"mpiReplicaSpecs": roles}}, "x", 1, None]}

    assert [each["metadata"]["name"] for each in pods_in(items)] == ["a", "b"]
    assert list(pods_in([{"spec": "x"}, {"spec": {"containers": "x"}}])) == []
    assert list(pods_in({"spec": {"containers": [{"spec": spec}]}})) == [{"spec": {"containers": [{"spec": spec}]}}]


GKE_INTERFACES = "networking.gke.io/interfaces"


@pytest.mark.parametrize(
    ("pool", "resource", "is_own"),
    [
        (P5, EFA, True),
        (P5_CLAIMED, EFA, False),
        (P5, "rdma/ib", False),
        ((H100, "infiniband-rdma-ib"), "rdma/ib", True),
        ((H100, "infiniband-rdma-ib"), "rdma/hca_shared_devices_a", False),
        ((H100, "infiniband"), "rdma/rdma_shared_device_a", False),
        (("a3-megagpu-8g", "tcpxo"), "networking.gke.io.networks/vpc1.IP", True),
        (("a3-megagpu-8g", "tcpxo"), "networking.gke.io.networks/rdma-0", False),
        (("a4-highgpu-8g", "gib"), "networking.gke.io.networks/rdma-0", False),
        (("a4-highgpu-8g", "gib"), "networking.gke.io.networks/storage", True),
        (ON_HOST, "nvidia.com/mlnxnics", False),
    ],
)
def test_nics_in_the_words_of_another_fabric_are_refused_or_replaced(
    pool: tuple[str, str], resource: str, is_own: bool
) -> None:
    """No node offers them. What the pool's own fabric serves, and what is no NIC, stays."""
    found, asked = plan(pool), pod()
    limits = asked["spec"]["containers"][0]["resources"]["limits"]
    limits[resource] = 1
    if is_own:
        assert main_of(found, asked)["resources"]["limits"][resource] == 1
        return
    assert f"asks for {resource}; remove it: NICs come" in refused(found, asked)
    asked["metadata"]["annotations"][SWITCH] = "replace"
    assert resource not in main_of(found, asked)["resources"]["limits"]


def test_networks_of_other_fabrics_are_refused_or_replaced() -> None:
    found, asked = plan(("a4-highgpu-8g", "gib")), pod()
    asked["metadata"]["annotations"][GKE_INTERFACES] = '[{"interfaceName": "eth2", "network": "rdma-0"}]'
    assert f'{GKE_INTERFACES} names the network "rdma-0"; remove it: NICs come by claims' in refused(found, asked)
    asked["metadata"]["annotations"][SWITCH] = "replace"
    assert GKE_INTERFACES not in served(found, asked)["metadata"]["annotations"]


def test_devices_of_the_host_are_refused_where_claims_open_them() -> None:
    asked = pod(volumes=[{"name": "ib", "hostPath": {"path": "/dev/infiniband"}}])
    assert "volume ib is /dev/infiniband of the host; remove it" in refused(plan(P5_CLAIMED), asked)
    assert served(plan(ON_HOST), asked)["spec"]["volumes"][0]["name"] == "ib"
