"""What the pods of the test may do: each right has a reader, and nobody from elsewhere talks to their sshd."""

from typing import Any

import pytest
from tests.stacks import graph_of

pytestmark = pytest.mark.variant

POLICY, JOB = "kubernetes:networking.k8s.io/v1:NetworkPolicy", "kubernetes:batch/v1:Job"
MPI_JOB = "kubernetes:kubeflow.org/v2beta1:MPIJob"
SSHD = {"AUDIT_WRITE", "NET_BIND_SERVICE", "SETGID", "SETUID", "SYS_CHROOT"}


def containers(stack: str) -> dict[str, dict[str, Any]]:
    """Every container of the test by its name, the launcher's as ``launcher``."""
    found = {}
    for resource in graph_of(stack).of_type(JOB) + graph_of(stack).of_type(MPI_JOB):
        replicas = resource.inputs["spec"].get("mpiReplicaSpecs", {"": resource.inputs["spec"]})
        for role, of in replicas.items():
            for each in of["template"]["spec"]["containers"]:
                found["launcher" if (role, each["name"]) == ("Launcher", "test") else each["name"]] = each
    return found


@pytest.mark.parametrize("stack", ["gke", pytest.param("eks", marks=pytest.mark.variant)])
def test_each_container_has_the_rights_it_uses(stack: str):
    """Pods that run sshd and NCCL have what those take; those that start, judge or watch have none."""
    added = {
        name: set(each["securityContext"]["capabilities"].get("add", [])) for name, each in containers(stack).items()
    }
    members = {name for name in added if name in (("test",) if stack == "gke" else ("worker",))}

    assert members
    assert all(added[name] == (SSHD | {"IPC_LOCK", "SYS_NICE"} if name in members else set()) for name in added)


@pytest.mark.parametrize("stack", ["gke", pytest.param("eks", marks=pytest.mark.variant)])
def test_all_other_rights_are_dropped(stack: str):
    """None is won by running a program, and the runtime's profile holds."""
    for each in containers(stack).values():
        context = each["securityContext"]

        assert context["capabilities"]["drop"] == ["ALL"]
        assert context["allowPrivilegeEscalation"] is False
        assert context["seccompProfile"] == {"type": "RuntimeDefault"}


def test_pods_of_the_test_hear_each_other_alone():
    """The operator hears nobody; both rules are there before the pods are."""
    graph = graph_of("eks")
    heard = {each.inputs["metadata"]["namespace"]: each for each in graph.of_type(POLICY)}
    (test,), (operator,) = graph.of_type(MPI_JOB), graph.of_type("kubernetes:apps/v1:Deployment")

    assert {name: each.inputs["spec"].get("ingress") for name, each in heard.items()} == {
        "rdma-acceptance": [{"from": [{"podSelector": {}}]}],
        "mpi-operator": None,
    }
    assert all(each.inputs["spec"]["podSelector"] == {} for each in heard.values())
    assert all(each.inputs["spec"]["policyTypes"] == ["Ingress"] for each in heard.values())
    assert heard["rdma-acceptance"].urn in test.dependencies
    assert heard["mpi-operator"].urn in operator.dependencies
