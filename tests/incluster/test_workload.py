"""What a pod adds to use a fabric: all that a fabric can ask for, and what is left out without it."""

from dataclasses import replace
from typing import Any

import pytest
import yaml
from rdma_cluster.catalog import find
from rdma_cluster.catalog.machine import Machine
from rdma_cluster.fabrics import (
    FABRICS,
    ConfigFile,
    ExtendedResource,
    Fabric,
    GpuAllocation,
    HostMount,
    HostNetwork,
    NicAttachment,
    PodNetworks,
    PodPatch,
    Sidecar,
)
from rdma_cluster.incluster.plan.full_node import apart, claims, compute_domain, devices, placed
from rdma_cluster.incluster.plan.pool import GpuPool
from rdma_cluster.incluster.plan.security import as_root, runs_nccl, unprivileged, verbatim
from rdma_cluster.incluster.plan.workload import Workload, workload_on
from tests.incluster.pools import BARE, CONTEXT

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


def machine(name: str) -> Machine:
    """A row of the catalogue."""
    row = find(name)
    assert row is not None
    return row


def test_all_that_a_fabric_adds():
    """Each folder of the host is one volume, whoever mounts it; a sidecar is ready within its time in steps of 5 s."""
    workload = Workload(
        replace(GIB, pod_patch=ADDS, nic_attachment=HostNetwork()),
        node_selector={"pool": "a"},
        taint=("gpu", "present"),
        other_taints={"spot": "*"},
        claim_templates=("whole", "more"),
        machine=machine("a4-highgpu-8g"),
        allocation=GpuAllocation.DEVICE_PLUGIN,
        registries={"quay.io": "mirror.example"},
    )
    expected = yaml.safe_load("""
        nodeSelector: {pool: a}
        tolerations:
        - {key: gpu, operator: Equal, value: present, effect: NoSchedule}
        - {key: spot, operator: Exists, effect: NoSchedule}
        claimTemplates: [whole, more]
        resources: {limits: {nvidia.com/gpu: "8"}}
        volumes:
        - {name: nvidia, hostPath: {path: /host/nvidia}}
        - {name: sys, hostPath: {path: /sys}}
        - {name: topology, configMap: {name: topology}}
        - {name: settings, configMap: {name: settings}}
        - {name: shared-memory, emptyDir: {medium: Memory, sizeLimit: 64Gi}}
        volumeMounts:
        - {name: nvidia, mountPath: /usr/local/nvidia, readOnly: true}
        - {name: topology, mountPath: /etc/nccl, readOnly: true}
        - {name: settings, mountPath: /etc/nccl.conf, subPath: nccl.conf, readOnly: true}
        - {name: shared-memory, mountPath: /dev/shm}
        env: [{name: NCCL_NET, value: gIB}, {name: NCCL_DEBUG, value: WARN}]
        source: /env.sh
        securityContext: {capabilities: {add: [IPC_LOCK]}, privileged: true}
        annotations: {devices: all}
        hostNetwork: true
        initContainers:
        - name: daemon
          image: mirror.example/daemon:1
          restartPolicy: Always
          command: [run, daemon]
          env: [{name: A, value: b}]
          securityContext: {capabilities: {add: [NET_ADMIN]}}
          volumeMounts:
          - {name: nvidia, mountPath: /usr/local/nvidia, readOnly: true}
          - {name: sys, mountPath: /hostsysfs}
          startupProbe: {exec: {command: [cat, /ready]}, periodSeconds: 5, failureThreshold: 25}
        - name: other
          image: mirror.example/daemon:1
          restartPolicy: Always
          command: [run, daemon]
          env: [{name: A, value: b}]
          securityContext: {capabilities: {add: [NET_ADMIN]}}
          volumeMounts: []
        """)

    assert workload.pod_patch() == expected | {"imageHint": GIB.acceptance.tests[0].image}


def test_nothing_is_added_that_a_fabric_does_not_ask_for():
    """Of any machine: no device, no taint, no annotation; the image is that for x86."""
    assert Workload(replace(GIB, pod_patch=PodPatch())).pod_patch() == {
        "nodeSelector": {},
        "tolerations": [],
        "claimTemplates": [],
        "resources": {},
        "volumes": [],
        "volumeMounts": [],
        "env": [],
        "source": "",
        "securityContext": {"capabilities": {"add": []}},
        "imageHint": GIB.acceptance.tests[0].image,
    }


@pytest.mark.parametrize(("name", "image"), [("p5.48xlarge", "amd64:1"), ("p6e-gb200.36xlarge", "arm64:1")])
def test_the_hint_is_an_image_for_the_machines_processors(name: str, image: str):
    """One that the machine runs; where none is built for it, none is named."""
    (x86,) = FABRICS["gib"].acceptance.tests
    both = (replace(x86, image="amd64:1"), replace(x86, image="arm64:1", architecture="arm64"))
    hints = [
        Workload(_with_tests(tests), machine=machine(name)).pod_patch()["imageHint"]
        for tests in (both, both[::-1], tuple(each for each in both if each.image != image))
    ]

    assert hints == [image, image, ""]


def _with_tests(tests: Any) -> Fabric:
    return replace(GIB, acceptance=replace(GIB.acceptance, tests=tests))


PLUGGED = ExtendedResource("d", "example.com/nic", chart=None, beside={"hugepages-2Mi": "1Gi"}, network="kube-system/n")
P5 = "p5.48xlarge"
"""8 GPUs and 32 NICs."""


@pytest.mark.parametrize(
    ("attachment", "allocation", "limits", "annotations"),
    [
        (
            PLUGGED,
            GpuAllocation.DEVICE_PLUGIN,
            {"nvidia.com/gpu": "8", "example.com/nic": "32", "hugepages-2Mi": "1Gi"},
            {"k8s.v1.cni.cncf.io/networks": ",".join(["kube-system/n"] * 32)},
        ),
        (
            replace(PLUGGED, full_node=True, beside={}),
            GpuAllocation.DRA,
            {"example.com/nic": "1"},
            {"k8s.v1.cni.cncf.io/networks": "kube-system/n"},
        ),
        (replace(PLUGGED, network="", beside={}), GpuAllocation.DRA, {"example.com/nic": "32"}, None),
        (HostNetwork(), GpuAllocation.DEVICE_PLUGIN, {"nvidia.com/gpu": "8"}, None),
        (HostNetwork(), GpuAllocation.DRA, None, None),
        (
            PodNetworks(lambda of: {"nics": str(of.nics)}, lambda _: ()),
            GpuAllocation.DEVICE_PLUGIN,
            {"nvidia.com/gpu": "8"},
            {"nics": "32"},
        ),
    ],
)
def test_a_pod_of_the_whole_machine(
    attachment: NicAttachment, allocation: GpuAllocation, limits: dict[str, str] | None, annotations: dict | None
):
    """It asks plugins for every device that they hand out, and names a network for each unit that wants one."""
    fabric = replace(GIB, pod_patch=PodPatch(), nic_attachment=attachment)
    part = Workload(fabric, machine=machine(P5), allocation=allocation).pod_patch()

    assert part["resources"] == ({"limits": limits} if limits else {})
    assert part.get("annotations") == annotations


def test_a_pool_is_named_as_its_cluster_does():
    """By label, taints, mirrors and claims of the cluster; without a taint none is tolerated."""
    pool = GpuPool("a", machine(P5), 2, GIB, GpuAllocation.DEVICE_PLUGIN)
    context = replace(CONTEXT, pool_label="example.com/pool", other_taints={"spot": "yes"}, registries={"quay.io": "m"})

    assert workload_on(pool, context, ["whole", "nics"]) == Workload(
        GIB,
        {"example.com/pool": "a"},
        ("gpu", "present"),
        {"spot": "yes"},
        ("whole", "nics"),
        machine(P5),
        GpuAllocation.DEVICE_PLUGIN,
        {"quay.io": "m"},
    )
    assert workload_on(pool, BARE) == Workload(
        GIB, {"pool": "a"}, machine=machine(P5), allocation=GpuAllocation.DEVICE_PLUGIN
    )


def test_a_pod_of_a_whole_node_is_placed():
    """On the pool's nodes, with its claims and what its fabric brings; in the host's network it asks the cluster for
    names all the same."""
    bare = {"nodeSelector": {"pool": "a"}, "tolerations": [1], "resources": {"limits": {"x": "1"}}}
    full = {**bare, "initContainers": [2], "hostNetwork": True}
    claimed = claims(Workload(GIB, claim_templates=("whole", "more")))

    assert claimed == [
        {"name": "fabric-0", "resourceClaimTemplateName": "whole"},
        {"name": "fabric-1", "resourceClaimTemplateName": "more"},
    ]
    assert placed(full, claimed) == {
        "nodeSelector": {"pool": "a"},
        "tolerations": [1],
        "resourceClaims": claimed,
        "initContainers": [2],
        "hostNetwork": True,
        "dnsPolicy": "ClusterFirstWithHostNet",
    }
    assert placed(bare, []) == {"nodeSelector": {"pool": "a"}, "tolerations": [1]}
    assert devices(bare, claimed) == {"limits": {"x": "1"}, "claims": [{"name": "fabric-0"}, {"name": "fabric-1"}]}
    assert devices(bare, []) == {"limits": {"x": "1"}}


def test_no_two_pods_share_a_node():
    """Those of the same labels keep apart."""
    assert apart({"app": "a"}) == yaml.safe_load("""
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - {labelSelector: {matchLabels: {app: a}}, topologyKey: kubernetes.io/hostname}
        """)


def test_a_compute_domain():
    """It makes a template of one channel, and counts no nodes."""
    assert compute_domain("d", "team", "c") == yaml.safe_load("""
        apiVersion: resource.nvidia.com/v1beta1
        kind: ComputeDomain
        metadata: {name: d, namespace: team}
        spec: {numNodes: 0, channel: {resourceClaimTemplate: {name: c}, allocationMode: Single}}
        """)


CONFINED = yaml.safe_load("""
    allowPrivilegeEscalation: false
    capabilities: {drop: [ALL]}
    seccompProfile: {type: RuntimeDefault}
    """)


def test_security_contexts():
    """Whoever only reads is no root and writes nowhere; root has no capability but those that are named, in order."""
    reader = {**CONFINED, "runAsNonRoot": True, "readOnlyRootFilesystem": True}
    added = {"drop": ["ALL"], "add": ["IPC_LOCK", "NET_ADMIN", "SYS_NICE"]}

    assert unprivileged() == {**reader, "runAsUser": 65534}
    assert unprivileged(65532) == {**reader, "runAsUser": 65532}
    assert as_root() == CONFINED
    assert as_root("SYS_NICE", "NET_ADMIN", "IPC_LOCK") == {**CONFINED, "capabilities": added}
    part = {"securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}
    assert runs_nccl(part, "NET_ADMIN") == {**CONFINED, "capabilities": added}
    privileged = {"securityContext": {**part["securityContext"], "privileged": True}}
    assert runs_nccl(privileged, "NET_ADMIN") == privileged["securityContext"]


@pytest.mark.parametrize(
    ("word", "written"), [("$(A)", "$$(A)"), ("$$", "$$$"), ("$A ${A} 5$", "$A ${A} 5$"), ("a$(b)$(c)", "a$$(b)$$(c)")]
)
def test_words_reach_a_program_as_they_were_written(word: str, written: str):
    """Kubernetes takes ``$$`` for ``$`` where a variable or a further one follows, and nothing else."""
    assert verbatim(word) == written
