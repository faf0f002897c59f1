"""The Job that waits for the operator's definitions: what it may do, how long it has, and what waits for it."""

from functools import cache

from pulumi_offline import Graph
from rdma_agent.payload import payload
from rdma_cluster.catalog.images import JUDGE_PYTHON
from tests.oke.plans import built, made

JOB = "kubernetes:batch/v1:Job"
DEFINITIONS = [
    "ippools.nv-ipam.nvidia.com",
    "sriovnetworknodepolicies.sriovnetwork.openshift.io",
    "sriovnetworkpoolconfigs.sriovnetwork.openshift.io",
    "sriovnetworks.sriovnetwork.openshift.io",
]
INSIDE = {"name": "await-definitions", "namespace": "rdma-definitions"}
OF_CLUSTER = {"name": "rdma-await-definitions"}


@cache
def graph() -> Graph:
    """The virtual functions of one shape."""
    return built("OkeVirtualFunctions", {"machines": ["BM.GPU.B200.8"]})


def test_the_job_outlives_its_script():
    """Its deadline is beyond the script's own, which says what is missing; the engine waits as long as the Job."""
    (job,) = graph().of_type(JOB)
    (container,) = job.inputs["spec"]["template"]["spec"]["containers"]
    waits = next(int(word) for word in container["command"] if word.isdigit())

    assert waits < job.inputs["spec"]["activeDeadlineSeconds"] <= int(job.options["customTimeouts"]["create"][:-1])


def test_the_job():
    """Half an hour in a container that may write nothing and is nobody; a new one takes its place."""
    inputs, options, after = made(graph(), "Job", "oke-definitions")
    pod = inputs["spec"].pop("template")["spec"]
    (container,) = pod.pop("containers")

    assert inputs == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": INSIDE,
        "spec": {"backoffLimit": 3, "activeDeadlineSeconds": 2400},
    }
    assert pod == {
        "restartPolicy": "Never",
        "serviceAccountName": "await-definitions",
        "enableServiceLinks": False,
        "volumes": [{"name": "scripts", "configMap": {"name": "await-definitions"}}],
    }
    assert container == {
        "name": "await",
        "image": JUDGE_PYTHON.image,
        "command": ["python3", "/opt/rdma-cluster/run.py", "await-definitions", "1800", *DEFINITIONS],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 65534,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumeMounts": [{"name": "scripts", "mountPath": "/opt/rdma-cluster"}],
    }
    assert options == {"customTimeouts": {"create": "2400s"}, "deleteBeforeReplace": True}
    assert after == {"Namespace oke-definitions", "ClusterRoleBinding oke-definitions", "ConfigMap oke-definitions"}


def test_what_it_may():
    """Look at these definitions, and at nothing else."""
    rules = made(graph(), "ClusterRole", "oke-definitions")[0]["rules"]
    binding, _, _ = made(graph(), "ClusterRoleBinding", "oke-definitions")

    assert rules == [
        {
            "apiGroups": ["apiextensions.k8s.io"],
            "resources": ["customresourcedefinitions"],
            "resourceNames": DEFINITIONS,
            "verbs": ["get"],
        }
    ]
    assert made(graph(), "ClusterRole", "oke-definitions")[0]["metadata"] == OF_CLUSTER
    assert made(graph(), "ServiceAccount", "oke-definitions")[0]["metadata"] == INSIDE
    assert made(graph(), "Namespace", "oke-definitions")[0]["metadata"] == {"name": "rdma-definitions"}
    scripts = made(graph(), "ConfigMap", "oke-definitions")[0]
    assert (scripts["metadata"], scripts["data"]) == (INSIDE, payload("rdma_agent"))
    assert binding["subjects"] == [{"kind": "ServiceAccount", **INSIDE}]


def test_objects_come_when_their_kinds_are_served():
    """Each as the plan has it."""
    inputs, options, after = made(graph(), "SriovNetwork", "oke-rdma-vf")

    assert (inputs["apiVersion"], inputs["kind"]) == ("sriovnetwork.openshift.io/v1", "SriovNetwork")
    assert inputs["metadata"] == {"name": "rdma-vf", "namespace": "nvidia-network-operator"}
    assert inputs["spec"]["resourceName"] == "rdma-vf"
    assert (options, after) == ({}, {"Job oke-definitions"})
