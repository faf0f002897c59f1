"""The harness tells right from wrong: what must be refused is, and what fits is placed."""

import pytest
from .api import Object, Refused
from .cluster import NO_CLAIM_YET, RESOURCE_API, Cluster, allocation, flaps

GPU, NIC = "gpu.example.com", "nic.example.com"
PCIE_ROOT = "resource.kubernetes.io/pcieRoot"
ROOTS = ("pci0000:8f", "pci0000:96", "pci0000:c4", "pci0000:cb")


def device(kind: str, index: int) -> Object:
    """The index-th of eight devices of a kind, two to a PCIe root."""
    return {"name": f"{kind}-{index}", "attributes": {PCIE_ROOT: {"string": ROOTS[index // 2]}}}


def device_class(driver: str, expression: str | None = None) -> Object:
    selector = {"cel": {"expression": expression or f'device.driver == "{driver}"'}}
    spec = {"selectors": [selector]}
    return {"apiVersion": RESOURCE_API, "kind": "DeviceClass", "metadata": {"name": driver}, "spec": spec}


def request(name: str, driver: str, count: int = 1) -> Object:
    return {"name": name, "exactly": {"deviceClassName": driver, "count": count}}


def template(name: str, requests: list[Object], constraints: list[list[str]]) -> Object:
    """Every constraint asks for one PCIe root for its requests."""
    devices = {
        "requests": requests,
        "constraints": [{"requests": names, "matchAttribute": PCIE_ROOT} for names in constraints],
    }
    meta = {"name": name}
    return {
        "apiVersion": RESOURCE_API,
        "kind": "ResourceClaimTemplate",
        "metadata": meta,
        "spec": {"spec": {"devices": devices}},
    }


def pod(name: str, template_name: str | None = None) -> Object:
    container: Object = {"name": "main", "image": "registry.example/pause:1"}
    spec: Object = {"containers": [container]}
    if template_name:
        spec["resourceClaims"] = [{"name": "devices", "resourceClaimTemplateName": template_name}]
        container["resources"] = {"claims": [{"name": "devices"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


@pytest.fixture
def gpu_node(cluster: Cluster) -> str:
    """A node of 8 GPUs and 8 NICs on 4 PCIe roots, and the classes to ask for them."""
    cluster.apply(device_class(GPU))
    cluster.apply(device_class(NIC))
    cluster.add_node("a4-0")
    cluster.add_slices("a4-0", GPU, [device("gpu", i) for i in range(8)])
    cluster.add_slices("a4-0", NIC, [device("nic", i) for i in range(8)])
    return "a4-0"


def test_four_pairs_fit_when_each_has_its_own_constraint(cluster: Cluster, gpu_node: str):
    """The scheduler puts each GPU and its NIC on one root."""
    names = [(f"gpu-{i}", f"nic-{i}") for i in range(4)]
    requests = [request(name, driver) for pair in names for name, driver in zip(pair, (GPU, NIC), strict=True)]
    cluster.apply(template("pairs", requests, [list(pair) for pair in names]))

    placement = cluster.schedule(pod("worker", "pairs"))

    assert placement.node == gpu_node
    allocated = allocation(cluster.claims(pod("worker"))["devices"])
    for gpu, nic in names:
        ((gpu_pool, gpu_device),) = allocated[gpu]
        ((nic_pool, nic_device),) = allocated[nic]
        assert gpu_pool == nic_pool == gpu_node
        assert int(gpu_device.removeprefix("gpu-")) // 2 == int(nic_device.removeprefix("nic-")) // 2


def test_four_pairs_under_one_constraint_fit_nowhere(cluster: Cluster, gpu_node: str):
    """One constraint wants all eight devices on one root, and a root has four. Without it they are there."""
    requests = [request("gpu", GPU, 4), request("nic", NIC, 4)]
    cluster.apply(template("one-root", requests, [["gpu", "nic"]]))
    cluster.apply(template("any-root", requests, []))

    placement = cluster.schedule(pod("worker", "one-root"))

    assert placement.node is None
    assert "cannot allocate all claims" in placement.message
    assert allocation(cluster.claims(pod("worker"))["devices"]) == {}
    assert cluster.schedule(pod("control", "any-root")).node == gpu_node


def test_devices_are_not_given_twice(cluster: Cluster, gpu_node: str):
    """What one pod holds, the next cannot have; and a test that ended holds nothing."""
    cluster.apply(template("all-gpus", [request("gpu", GPU, 8)], []))
    assert cluster.schedule(pod("first", "all-gpus")).node == gpu_node
    assert cluster.schedule(pod("second", "all-gpus")).node is None


def test_a_selector_that_fails_on_one_node_keeps_a_pod_from_all(cluster: Cluster, gpu_node: str):
    """The scheduler gives up the pod, not the node: so `claims` calls it an abort, and generates no such selector."""
    wanted = request("gpu", GPU)
    wanted["exactly"]["selectors"] = [{"cel": {"expression": f'device.attributes["{GPU}"].index == 0'}}]
    cluster.apply(template("index", [wanted], []))
    indexed = device("gpu", 0)
    indexed["attributes"]["index"] = {"int": 0}
    cluster.add_node("indexed")
    cluster.add_slices("indexed", GPU, [indexed])

    here = pod("here", "index")
    here["spec"]["nodeSelector"] = {"kubernetes.io/hostname": "indexed"}
    assert cluster.schedule(here).node == "indexed"
    assert "no such key: index" in cluster.schedule(pod("anywhere", "index")).message


def test_a_tainted_node_takes_only_who_tolerates_it(cluster: Cluster):
    """Labels and taints of a simulated node count as on a real one."""
    cluster.add_node(
        "tainted", {"pool": "gpu"}, [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]
    )
    plain, tolerant = pod("plain"), pod("tolerant")
    for each in (plain, tolerant):
        each["spec"]["nodeSelector"] = {"pool": "gpu"}
    tolerant["spec"]["tolerations"] = [{"key": "nvidia.com/gpu", "operator": "Exists"}]

    assert "untolerated taint" in cluster.schedule(plain).message
    assert cluster.schedule(tolerant).node == "tainted"


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
        (template("t", [request("gpu", GPU)], [["gpu", "nic"]]), "must be the name of a request"),
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
