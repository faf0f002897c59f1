"""The MPI operator and the policy of locked images, key by key."""

from typing import Any

import pytest
import yaml
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog.images import MPI_OPERATOR
from rdma_cluster.incluster.plan.artifacts import LockedImages
from rdma_cluster.incluster.plan.mpi_operator import MpiOperatorPlan, crd, plan_mpi_operator

DEPLOYMENT = yaml.safe_load("""
    replicas: 1
    selector:
      matchLabels: &labels {app.kubernetes.io/name: mpi-operator, app.kubernetes.io/managed-by: rdma-cluster}
    template:
      metadata: {labels: *labels}
      spec:
        serviceAccountName: mpi-operator
        enableServiceLinks: false
        containers:
        - name: mpi-operator
          image: my/operator:1
          args: [--lock-namespace=mine]
          env: [{name: KUBEFLOW_NAMESPACE, value: jobs}]
          resources: {requests: {cpu: 50m, memory: 64Mi}}
          securityContext:
            runAsNonRoot: true
            runAsUser: 65532
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: {drop: [ALL]}
            seccompProfile: {type: RuntimeDefault}
          ports: [{name: health, containerPort: 8080}]
          livenessProbe: {httpGet: {path: /healthz, port: 8080}, initialDelaySeconds: 10}
    """)


def told(args: Any) -> list[str]:
    """What is refused; then there is no plan."""
    errors = ErrorList()
    assert (plan_mpi_operator(args, errors) is None) == bool(errors)
    return [str(error) for error in errors.found()]


def test_the_operators_deployment():
    """In its namespace, for the jobs of one, with no right on its node; by default for all jobs, in its own."""
    made = plan_mpi_operator({"namespace": "mine", "watch": "jobs", "image": "my/operator:1"}, ErrorList())
    bare = plan_mpi_operator({}, ErrorList())

    assert made == MpiOperatorPlan("mine", "my/operator:1") and made.deployment("jobs") == DEPLOYMENT
    assert bare is not None and bare.namespace == "mpi-operator"
    (container,) = bare.deployment(None)["template"]["spec"]["containers"]
    assert (container["image"], container["args"]) == (MPI_OPERATOR.image, ["--lock-namespace=mpi-operator"])
    assert "env" not in container


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"namespace": "mpi-operator"}, []),
        ({"namespace": "mine"}, []),
        ({"namespace": "Mine"}, ["namespace: got 'Mine'; a namespace is"]),
        ({"namespace": ""}, ["namespace: empty; name it"]),
        ({"watch": ""}, ["watch: empty; name it"]),
        ({"namespace": "kube-system"}, ["namespace: kube-system is made already, for Kubernetes itself"]),
        ({"namespace": "kueue-system"}, ["namespace: kueue-system is made already, for Kueue; take another name"]),
        ({"image": "A"}, ["image: got 'A', no reference"]),
    ],
)
def test_where_an_operator_may_be(args: Any, words: list[str]):
    """In a namespace that nothing else makes."""
    found = told(args)

    assert len(found) == len(words) and all(map(str.startswith, found, words)), found


def test_the_kind_of_its_jobs():
    """One version that is served and stored; what the operator knows better than a schema is kept as it comes."""
    assert crd() == yaml.safe_load("""
        group: kubeflow.org
        scope: Namespaced
        names: {kind: MPIJob, listKind: MPIJobList, plural: mpijobs, singular: mpijob}
        versions:
        - name: v2beta1
          served: true
          storage: true
          subresources: {status: {}}
          schema:
            openAPIV3Schema:
              type: object
              required: [spec]
              properties:
                spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
                status: {type: object, x-kubernetes-preserve-unknown-fields: true}
        """)


def test_the_policy_of_locked_images():
    """Of every container of a pod, those of debuggers, too; in these namespaces, at every change."""
    locked = LockedImages(("a@sha256:0", "b@sha256:1"), ("ours", "more"))
    every = (
        "object.spec.containers.map(c, c.image) + object.spec.?initContainers.orValue([]).map(c, c.image) + "
        "object.spec.?ephemeralContainers.orValue([]).map(c, c.image)"
    )

    assert locked.spec == {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "operations": ["CREATE", "UPDATE"],
                    "resources": ["pods", "pods/ephemeralcontainers"],
                }
            ]
        },
        "variables": [
            {"name": "locked", "expression": "['a@sha256:0', 'b@sha256:1']"},
            {"name": "strange", "expression": f"({every}).filter(i, !(i in variables.locked))"},
        ],
        "validations": [
            {
                "expression": "variables.strange.size() == 0",
                "messageExpression": "'not among the locked images of this cluster: ' + variables.strange.join(', ')",
            }
        ],
    }
    assert locked.binding == yaml.safe_load("""
        policyName: rdma-locked-images
        validationActions: [Deny]
        matchResources:
          namespaceSelector:
            matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [ours, more]}]
        """)
