"""The watcher itself on a real API server, with the token of a pod on its node: what it writes, and what it may not."""

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from rdma_agent.device_taints import named_by, of_slice, rules_of
from rdma_agent.faults.watcher import Watcher
from rdma_agent.kube_api import Api as PodApi
from rdma_agent.names import FABRIC_LABEL, FAULT_TAINT
from rdma_cluster.catalog import Transport
from rdma_cluster.incluster.addons.readiness.args import OnFault
from rdma_cluster.incluster.addons.readiness.policies import watcher_policies
from rdma_cluster.incluster.addons.readiness.watcher import EVENT_RULES, NAME, NAMESPACE, START_TAINT, plan_watcher
from rdma_cluster.incluster.plan.rights import denying
from tests.faults.made_up import LABEL, MACHINES, Node, pools
from .api import Api, Object, Refused
from .cluster import Cluster, allocation
from .kubeconfig import connect
from .servers import control_plane

A4 = MACHINES[Transport.GIB]
ADMISSION, RBAC = "admissionregistration.k8s.io/v1", "rbac.authorization.k8s.io"
_HERE, _THERE = "watched", "another"
_ACCOUNT = {"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}
PLAN = plan_watcher(pools(A4), LABEL, OnFault.QUARANTINE, True, "example.com/python", [A4])


def rights() -> list[Object]:
    """What the component makes: account, roles, and the policies that hold them."""
    named, in_default = {"name": NAME}, {"name": NAME, "namespace": "default"}
    made: list[Object] = [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": NAME, "namespace": NAMESPACE}},
        {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": named, "rules": list(PLAN.rules)},
        {"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": in_default, "rules": list(EVENT_RULES)},
    ]
    for kind, role, metadata in (("ClusterRoleBinding", "ClusterRole", named), ("RoleBinding", "Role", in_default)):
        ref = {"apiGroup": RBAC, "kind": role, "name": NAME}
        made.append(
            {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": metadata, "roleRef": ref, "subjects": [_ACCOUNT]}
        )
    for name, spec in watcher_policies(PLAN.acts).items():
        made.append(
            {"apiVersion": ADMISSION, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name}, "spec": spec}
        )
        made.append(
            {
                "apiVersion": ADMISSION,
                "kind": "ValidatingAdmissionPolicyBinding",
                "metadata": {"name": name},
                "spec": denying(name),
            }
        )
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the control plane's files."""
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="module")
def api(folder: Path) -> Iterator[Api]:
    """A control plane of its own: rules for devices are off by default in 1.36."""
    with control_plane(folder, device_taints=True) as kubeconfig, connect(kubeconfig) as http:
        yield Api(http)


@pytest.fixture(scope="module")
def pod_api(api: Api, folder: Path) -> Iterator[PodApi]:
    """The API server as the watcher's pod on one of two nodes sees it."""
    with Cluster(api) as cluster:
        for node in (_HERE, _THERE):
            cluster.add_node(node, {LABEL: A4, FABRIC_LABEL: "proven"})
        cluster.create_all(rights())
        pod: Object = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "watcher", "namespace": NAMESPACE},
            "spec": {
                "nodeName": _HERE,
                "serviceAccountName": NAME,
                "automountServiceAccountToken": False,
                "containers": [{"name": "watcher", "image": "example.com/none"}],
                "tolerations": [{"operator": "Exists"}],
            },
        }
        made = cluster.create(pod)
        bound = {"kind": "Pod", "apiVersion": "v1", "name": "watcher", "uid": made["metadata"]["uid"]}
        asked = {"spec": {"boundObjectRef": bound, "audiences": [], "expirationSeconds": 3600}}
        path = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/{NAME}/token"
        token = api.request("POST", path, json=asked).json()["status"]["token"]
        credentials = folder / "of-the-pod"
        credentials.mkdir()
        (credentials / "token").write_text(token)
        shutil.copy(folder / "certificates/apiserver.crt", credentials / "ca.crt")
        as_pod = PodApi(str(api.http.base_url).rstrip("/"), credentials)
        # The server takes policies up within seconds, and tells nobody when.
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and any(not refused(as_pod, *each) for each in _LAST):
            time.sleep(0.2)
        yield as_pod


_MERGE = "application/merge-patch+json"
_STATUS = f"/api/v1/nodes/{_HERE}/status"
_EVENTS = "/api/v1/namespaces/default/events"
_RULES = "/apis/resource.k8s.io/v1beta2/devicetaintrules"


def event(node: str, kind: str = "Node") -> Object:
    """About a node."""
    about = {"kind": kind, "name": node, "apiVersion": "v1"}
    return {
        "metadata": {"generateName": "e.", "namespace": "default"},
        "involvedObject": about,
        "reason": "R",
        "type": "Normal",
    }


def device_rule(selector: dict[str, str], key: str = FAULT_TAINT) -> Object:
    """A rule that taints devices."""
    taint = {"key": key, "value": "GpuError", "effect": "NoExecute"}
    return {
        "apiVersion": "resource.k8s.io/v1beta2",
        "kind": "DeviceTaintRule",
        "metadata": {"generateName": "r-"},
        "spec": {"deviceSelector": selector, "taint": taint},
    }


Asked = tuple[str, str, Object]
REFUSED: dict[str, tuple[Asked, str]] = {
    "another node's condition": (
        (
            "PATCH",
            f"/api/v1/nodes/{_THERE}/status",
            {"status": {"conditions": [{"type": "GpuError", "status": "True"}]}},
        ),
        "another node",
    ),
    "the kubelet's condition": (
        ("PATCH", _STATUS, {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}),
        "another condition",
    ),
    "the node's size": (("PATCH", _STATUS, {"status": {"capacity": {"cpu": "1"}}}), "nothing else"),
    "another node's taint": (
        ("PATCH", f"/api/v1/nodes/{_THERE}", {"spec": {"taints": [{"key": FAULT_TAINT, "effect": "NoSchedule"}]}}),
        "another node",
    ),
    "another taint": (
        ("PATCH", f"/api/v1/nodes/{_HERE}", {"spec": {"taints": [{"key": "other", "effect": "NoExecute"}]}}),
        "another taint",
    ),
    "a label": (("PATCH", f"/api/v1/nodes/{_HERE}", {"metadata": {"labels": {"a": "b"}}}), "another label"),
    "a proof": (("PATCH", f"/api/v1/nodes/{_HERE}", {"metadata": {"labels": {FABRIC_LABEL: "mine"}}}), "another label"),
    "a cordon": (("PATCH", f"/api/v1/nodes/{_HERE}", {"spec": {"unschedulable": True}}), "nothing else"),
    "an event of another node": (("POST", _EVENTS, event(_THERE)), "another node"),
    "an event of a pod": (("POST", _EVENTS, event(_HERE, "Pod")), "another node"),
    "another node's device": (
        ("POST", _RULES, device_rule({"driver": "gpu.nvidia.com", "pool": _THERE, "device": "gpu-0"})),
        "another node's device",
    ),
    "all of a node's devices": (("POST", _RULES, device_rule({"pool": _HERE})), "more than one device"),
    "everybody's devices": (("POST", _RULES, device_rule({})), "another node's device"),
    "another taint of a device": (
        ("POST", _RULES, device_rule({"driver": "d", "pool": _HERE, "device": "gpu-0"}, key="example.com/x")),
        "another taint",
    ),
}
_LAST = [REFUSED[name][0] for name in ("the node's size", "a cordon", "an event of a pod", "all of a node's devices")]
"""One of each policy."""


def refused(as_pod: PodApi, verb: str, path: str, body: Object) -> str:
    """The API server's words, or nothing."""
    kind = "application/json" if verb == "POST" else _MERGE
    try:
        as_pod.open(f"{path}?dryRun=All", verb, body, kind).close()
    except HTTPError as error:
        return error.read().decode()
    return ""


@pytest.mark.parametrize("case", REFUSED)
def test_it_changes_nothing_else(pod_api: PodApi, case: str):
    """Each is refused by the rule that is about it, in the name of the account and of the pod's own node."""
    asked, rule = REFUSED[case]

    assert rule in refused(pod_api, *asked)


def test_a_token_of_no_node_may_nothing(api: Api, pod_api: PodApi):
    """Somebody with the account and without a pod on the node."""
    headers = {"Impersonate-User": f"system:serviceaccount:{NAMESPACE}:{NAME}", "Content-Type": _MERGE}
    change = {"status": {"conditions": [{"type": "GpuError", "status": "True"}]}}

    with pytest.raises(Refused, match="another node"):
        api.request("PATCH", _STATUS, headers=headers, content=json.dumps(change))


def gpu_slices(node: Node) -> list[Object]:
    """Two GPUs, as NVIDIA's driver publishes them."""
    bus = "resource.kubernetes.io/pciBusID"
    return [{"name": f"gpu-{index}", "attributes": {bus: {"string": node.gpu(index)}}} for index in range(2)]


def claiming(name: str) -> list[Object]:
    """A pod that claims one GPU, with its claim's template."""
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}}
    container = {"name": "c", "image": "example.com/none", "resources": {"claims": [{"name": "gpu"}]}}
    claim = {"name": "gpu", "resourceClaimTemplateName": name}
    return [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": name},
            "spec": {"spec": {"devices": {"requests": [request]}}},
        },
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {"containers": [container], "resourceClaims": [claim], "terminationGracePeriodSeconds": 600},
        },
    ]


def device_of(cluster: Cluster, pod: Object) -> str:
    """The GPU that a pod holds."""
    (claim,) = cluster.claims(pod).values()
    return allocation(claim)["gpu"][0][1]


def test_only_who_holds_the_device_goes(api: Api, pod_api: PodApi, tmp_path: Path):
    """From a line of the kernel to one pod's end; then back, through the proof."""
    node = Node(tmp_path, Transport.GIB)
    config: dict[str, Any] = json.loads(PLAN.files["faults.json"])
    config["pools"] = {A4: config["pools"][A4]}
    watcher = Watcher(pod_api, _HERE, config, time.time() - node.now)

    def run(seconds: float) -> Object:
        end = node.now + seconds
        while node.now < end:
            node.now += 60
            watcher.look(lambda _: node.host(), node.now)
        found = api.get({"apiVersion": "v1", "kind": "Node", "metadata": {"name": _HERE}})
        assert found is not None
        return found

    with Cluster(api) as cluster:
        selector = {"cel": {"expression": "device.driver == 'gpu.nvidia.com'"}}
        gpus = {"kind": "DeviceClass", "metadata": {"name": "gpu.nvidia.com"}, "spec": {"selectors": [selector]}}
        cluster.create({"apiVersion": "resource.k8s.io/v1", **gpus})
        cluster.add_slices(_HERE, "gpu.nvidia.com", gpu_slices(node))
        held: dict[str, Object] = {}
        for name in ("one", "two"):
            template, pod = claiming(name)
            cluster.create(template)
            assert cluster.schedule(pod).node == _HERE
            pod = {**pod, "metadata": {**pod["metadata"], "namespace": cluster.namespace}}
            held[device_of(cluster, pod)] = pod
        run(120)

        node.say(
            f"NVRM: Xid (PCI:{node.gpu(1)[:10]}): 119, pid=1, name=x, Timeout after 6s of waiting for RPC response"
        )
        seen = run(120)

        told = {each["type"]: each for each in seen["status"]["conditions"]}
        assert told["GpuError"]["message"] == "0000:11:00.0: XID 119" and told["Ready"]["status"] == "True"
        assert FAULT_TAINT not in {taint["key"] for taint in seen["spec"].get("taints", [])}
        going = api.wait(held["gpu-1"], lambda pod: pod if pod and "deletionTimestamp" in pod["metadata"] else None, 60)
        assert going["status"]["conditions"][-1]["reason"] == "DeletionByDeviceTaintManager"
        stays = api.get(held["gpu-0"])
        assert stays is not None and "deletionTimestamp" not in stays["metadata"]
        assert _told_by_the_prover(api) == "gpu-1 of gpu.nvidia.com is tainted: rdma-cluster/fault=GpuError:NoExecute"
        (event_,) = [e for e in api.objects("v1", "Event", "default") if e["involvedObject"]["name"] == _HERE]
        assert event_["reason"] == "GpuError"

        node.say(
            f"NVRM: Xid (PCI:{node.gpu(1)[:10]}): 154, GPU recovery action changed from 0x1 (GPU Reset Required) "
            f"to 0x0 (None)"
        )
        seen = run(1200)

        assert api.objects("resource.k8s.io/v1beta2", "DeviceTaintRule") == []
        assert _told_by_the_prover(api) == ""
        assert START_TAINT["key"] in {taint["key"] for taint in seen["spec"]["taints"]}
        assert FABRIC_LABEL not in seen["metadata"]["labels"]


def _told_by_the_prover(api: Api) -> str:
    """Of the watched node: why no test of the prover's would get its devices."""

    class Admin:
        def get(self, path: str) -> Any:
            return api.request("GET", path).json()

    rules = rules_of(Admin())  # ty: ignore[invalid-argument-type]
    (held,) = [each for each in api.objects("resource.k8s.io/v1", "ResourceSlice") if each["spec"]["nodeName"] == _HERE]
    by_name, by_slice = named_by(rules, _HERE, ["gpu.nvidia.com"]), of_slice(rules, held["spec"])
    assert by_name == by_slice
    return by_name
