"""The MPI operator may do what its jobs need, and no more."""

from typing import Any

from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.plan.mpi_operator import LEADER_RULES, MpiOperatorArgs, crd, plan_mpi_operator


def container(args: MpiOperatorArgs) -> dict[str, Any]:
    """Return the operator's container."""
    plan = plan_mpi_operator(args, ErrorList())
    assert plan is not None
    (only,) = plan.deployment(args.get("watch"))["template"]["spec"]["containers"]
    return only


def granted(rules: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
    """Return group, resource and verb of everything that rules allow."""
    return {
        (group, resource, verb)
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def test_a_leader_is_chosen_where_the_operator_may():
    """The lease lies in the operator's own namespace, where its rights to leases are."""
    assert container({})["args"] == ["--lock-namespace=mpi-operator"]
    assert container({"namespace": "mine"})["args"] == ["--lock-namespace=mine"]
    assert {("coordination.k8s.io", "leases", verb) for verb in ("get", "create", "update")} <= granted(LEADER_RULES)


def test_the_operator_watches_one_namespace_or_all():
    """Its image may be the user's own, and its container has no right on the node."""
    made = container({"watch": "jobs", "image": "my/operator:1"})

    assert made["env"] == [{"name": "KUBEFLOW_NAMESPACE", "value": "jobs"}] and "env" not in container({})
    assert made["image"] == "my/operator:1" != container({})["image"]
    assert made["securityContext"]["runAsNonRoot"] and not made["securityContext"]["allowPrivilegeEscalation"]
    assert made["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert made["livenessProbe"]["httpGet"]["port"] == made["ports"][0]["containerPort"]


def test_the_status_of_a_job_is_a_part_of_its_own():
    """The operator writes it there; what it knows better than a schema is kept as it comes."""
    (version,) = crd()["versions"]
    properties = version["schema"]["openAPIV3Schema"]["properties"]

    assert version["subresources"] == {"status": {}}
    assert (version["name"], version["served"], version["storage"]) == ("v2beta1", True, True)
    assert (crd()["group"], crd()["names"]["kind"], crd()["scope"]) == ("kubeflow.org", "MPIJob", "Namespaced")
    assert all(properties[each]["x-kubernetes-preserve-unknown-fields"] for each in ("spec", "status"))
