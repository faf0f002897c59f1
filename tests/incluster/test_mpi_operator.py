"""The MPI operator may do what its jobs need, and no more."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.plan.mpi_operator import (
    JOB_RULES,
    LEADER_RULES,
    PRIORITY_RULES,
    MpiOperatorArgs,
    crd,
    plan_mpi_operator,
)
from tests.incluster.plans import paths


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
    assert made["securityContext"]["runAsNonRoot"] and made["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert made["livenessProbe"]["httpGet"]["port"] == made["ports"][0]["containerPort"]


# mpi-operator@v0.8.0 pkg/controller/mpi_job_controller.go: what each step of a job's life asks of the API.
WATCHED = (("", "configmaps"), ("", "secrets"), ("", "services"), ("", "pods"), ("batch", "jobs"))
NEEDED = {
    *(("kubeflow.org", "mpijobs", verb) for verb in ("list", "watch")),
    ("kubeflow.org", "mpijobs/status", "update"),
    # Objects block the deletion of their owner.
    ("kubeflow.org", "mpijobs/finalizers", "update"),
    *((*each, verb) for each in WATCHED for verb in ("list", "watch", "create")),
    *(("", each, "update") for each in ("configmaps", "secrets", "services")),
    ("", "pods", "delete"),
    ("batch", "jobs", "update"),
    *(("", "events", verb) for verb in ("create", "patch")),
}


def test_the_operator_may_do_what_its_jobs_need_and_no_more():
    """A job would never start for want of a single right."""
    assert granted(JOB_RULES) == NEEDED
    assert granted(PRIORITY_RULES) == {("scheduling.k8s.io", "priorityclasses", verb) for verb in ("list", "watch")}


def test_the_status_of_a_job_is_a_part_of_its_own():
    """The operator writes it there; what it knows better than a schema is kept as it comes."""
    (version,) = crd()["versions"]
    properties = version["schema"]["openAPIV3Schema"]["properties"]

    assert version["subresources"] == {"status": {}}
    assert (version["name"], version["served"], version["storage"]) == ("v2beta1", True, True)
    assert (crd()["group"], crd()["names"]["kind"], crd()["scope"]) == ("kubeflow.org", "MPIJob", "Namespaced")
    assert all(properties[each]["x-kubernetes-preserve-unknown-fields"] for each in ("spec", "status"))


@pytest.mark.parametrize(
    ("args", "path"),
    [
        ({"namespace": "mpi-operator"}, []),
        ({"namespace": "Mine"}, ["namespace"]),
        ({"namespace": ""}, ["namespace"]),
        ({"watch": ""}, ["watch"]),
        ({"namespace": "kube-system"}, ["namespace"]),
        ({"namespace": "kueue-system"}, ["namespace"]),
        ({"image": "A"}, ["image"]),
    ],
)
def test_the_operator_goes_where_nothing_else_is_made(args: Any, path: list[str]):
    errors = ErrorList()

    assert (plan_mpi_operator(args, errors) is None) == bool(path)
    assert paths([str(each) for each in errors.found()]) == path
