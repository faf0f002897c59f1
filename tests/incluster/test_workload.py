"""A pod is given what its fabric asks for, and nothing else."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.catalog import find
from rdma_cluster.fabrics import (
    FABRICS,
    ConfigFile,
    ExtendedResource,
    GpuAllocation,
    HostMount,
    HostNetwork,
    NicAttachment,
    PodNetworks,
    PodPatch,
    Sidecar,
)
from rdma_cluster.incluster.plan.security import verbatim
from rdma_cluster.incluster.plan.workload import Workload, workload_on
from tests.incluster.pools import BARE, CONTEXT, NAMED

GIB = FABRICS["gib"]
NVIDIA = HostMount("nvidia", "/host/nvidia", "/usr/local/nvidia", read_only=True)
DAEMON = Sidecar(
    name="daemon",
    image="quay.io/daemon:1",
    command=("run", "daemon"),
    mounts=(NVIDIA, HostMount("sys", "/sys", "/hostsysfs")),
    env={"A": "b"},
    capabilities=("NET_ADMIN",),
    ready=("cat", "/ready"),
    ready_seconds=121,
)
ADDS = PodPatch(
    shared_memory="64Gi",
    env={"NCCL_NET": "gIB", "NCCL_DEBUG": "WARN"},
    mounts=(NVIDIA,),
    files=(
        ConfigFile("topology", "a.xml", "/etc/nccl", "<xml/>"),
        ConfigFile("settings", "nccl.conf", "/etc", "A=b", alone=True),
    ),
    source="/env.sh",
    capabilities=("IPC_LOCK",),
    privileged=True,
    sidecars=(DAEMON, replace(DAEMON, name="other", mounts=(), ready=())),
    annotations={"devices": "all"},
)


@pytest.fixture
def patch() -> dict[str, Any]:
    """Return the part of a pod whose fabric asks for all that a fabric can ask for."""
    return Workload(
        replace(GIB, pod_patch=ADDS, nic_attachment=HostNetwork()),
        machine=find("a4-highgpu-8g"),
        allocation=GpuAllocation.DEVICE_PLUGIN,
        registries={"quay.io": "mirror.example"},
    ).pod_patch()


def test_a_folder_of_the_host_is_one_volume_whoever_mounts_it(patch: dict[str, Any]):
    volumes = {each["name"]: each for each in patch["volumes"]}
    mounts = {each["name"]: each for each in patch["volumeMounts"]}

    assert [each["name"] for each in patch["volumes"]] == ["nvidia", "sys", "topology", "settings", "shared-memory"]
    assert volumes["nvidia"]["hostPath"] == {"path": "/host/nvidia"}
    assert mounts["nvidia"] == {"name": "nvidia", "mountPath": "/usr/local/nvidia", "readOnly": True}
    assert "sys" not in mounts
    assert mounts["topology"]["readOnly"] and mounts["settings"]["subPath"] == "nccl.conf"
    assert volumes["shared-memory"]["emptyDir"] == {"medium": "Memory", "sizeLimit": "64Gi"}
    assert mounts["shared-memory"]["mountPath"] == "/dev/shm"


def test_a_sidecar_stays_beside_the_pod_and_is_waited_for(patch: dict[str, Any]):
    """Its image comes from the mirror, and the probe lasts as long as it may take, in steps of five seconds."""
    daemon, other = patch["initContainers"]
    probe = daemon["startupProbe"]

    assert (daemon["name"], daemon["image"], daemon["restartPolicy"]) == ("daemon", "mirror.example/daemon:1", "Always")
    assert (daemon["command"], daemon["env"]) == (["run", "daemon"], [{"name": "A", "value": "b"}])
    assert daemon["securityContext"]["capabilities"]["add"] == ["NET_ADMIN"]
    assert [each["mountPath"] for each in daemon["volumeMounts"]] == ["/usr/local/nvidia", "/hostsysfs"]
    assert 121 <= probe["periodSeconds"] * probe["failureThreshold"] < 126
    assert probe["exec"]["command"] == ["cat", "/ready"]
    assert "startupProbe" not in other and other["volumeMounts"] == []


def test_settings_of_a_fabric_reach_its_pods(patch: dict[str, Any]):
    assert patch["env"] == [{"name": "NCCL_NET", "value": "gIB"}, {"name": "NCCL_DEBUG", "value": "WARN"}]
    assert patch["source"] == "/env.sh" and patch["hostNetwork"] is True
    assert patch["securityContext"] == {"capabilities": {"add": ["IPC_LOCK"]}, "privileged": True}
    assert patch["annotations"] == {"devices": "all"}


def test_nothing_is_added_that_a_fabric_does_not_ask_for():
    patch = Workload(replace(GIB, pod_patch=PodPatch())).pod_patch()

    assert not {"annotations", "hostNetwork", "initContainers"} & patch.keys()
    assert {key for key, value in patch.items() if value} == {"securityContext", "imageHint"}
    assert patch["securityContext"] == {"capabilities": {"add": []}}


PLUGGED = ExtendedResource("d", "example.com/nic", chart=None, beside={"hugepages-2Mi": "1Gi"}, network="kube-system/n")


@pytest.mark.parametrize(
    ("attachment", "allocation", "limits", "networks"),
    [
        (PLUGGED, "device-plugin", {"nvidia.com/gpu": "8", "example.com/nic": "32", "hugepages-2Mi": "1Gi"}, 32),
        (replace(PLUGGED, full_node=True, beside={}), "dra", {"example.com/nic": "1"}, 1),
        (replace(PLUGGED, network="", beside={}), "dra", {"example.com/nic": "32"}, 0),
        (HostNetwork(), "dra", None, 0),
        (PodNetworks(lambda of: {"nics": str(of.nics)}, lambda _: ()), "device-plugin", {"nvidia.com/gpu": "8"}, 0),
    ],
)
def test_a_pod_of_the_whole_machine_asks_plugins_for_every_device(
    attachment: NicAttachment, allocation: str, limits: dict[str, str] | None, networks: int
):
    """The machine has 8 GPUs and 32 NICs; the pod names a network for each unit that wants one."""
    fabric = replace(GIB, pod_patch=PodPatch(), nic_attachment=attachment)
    part = Workload(fabric, machine=find("p5.48xlarge"), allocation=GpuAllocation(allocation)).pod_patch()
    annotations = part.get("annotations", {})

    assert part["resources"] == ({"limits": limits} if limits else {})
    assert annotations.get("k8s.v1.cni.cncf.io/networks", "").count("kube-system/n") == networks
    assert annotations.get("nics") == ("32" if isinstance(attachment, PodNetworks) else None)


def test_a_pod_goes_to_its_pool_past_every_taint_of_the_cluster():
    """Without a taint none is tolerated."""
    context = replace(CONTEXT, pool_label="example.com/pool", other_taints={"spot": "yes", "held": "*"})
    patch = workload_on(NAMED, context, ["whole", "nics"]).pod_patch()

    assert patch["nodeSelector"] == {"example.com/pool": "named"}
    assert [(each["key"], each["operator"], each.get("value")) for each in patch["tolerations"]] == [
        ("gpu", "Equal", "present"),
        ("spot", "Equal", "yes"),
        ("held", "Exists", None),
    ]
    assert patch["claimTemplates"] == ["whole", "nics"]
    assert workload_on(NAMED, BARE).pod_patch()["tolerations"] == []


@pytest.mark.parametrize(
    ("word", "written"), [("$(A)", "$$(A)"), ("$$", "$$$"), ("$A ${A} 5$", "$A ${A} 5$"), ("a$(b)$(c)", "a$$(b)$$(c)")]
)
def test_words_reach_a_program_as_they_were_written(word: str, written: str):
    """Kubernetes takes ``$$`` for ``$`` where a variable or a further one follows, and nowhere else."""
    assert verbatim(word) == written
