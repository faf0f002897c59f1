"""The MPI operator: what it may do, how it runs, and the shape of the objects that it serves."""

from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...catalog.images import MPI_OPERATOR
from .claim_templates import OF_KUBERNETES, check_namespace, our_namespaces
from .images import check_image
from .rights import rule
from .security import unprivileged

CRD = "mpijobs.kubeflow.org"
OPERATOR = "mpi-operator"
"""Name of its objects."""
_HEALTH_PORT = 8080


@args_schema
class MpiOperatorArgs(TypedDict):
    """Where the operator runs, and whose jobs it runs."""

    namespace: NotRequired[str]
    """Namespace of the operator itself. Default: ``mpi-operator``."""
    watch: NotRequired[Link]
    """The one namespace whose MPIJobs it runs. Default: all."""
    image: NotRequired[str]
    """Image of the operator, where the nodes cannot reach Docker Hub. Default: the pinned release."""


@frozen
class MpiOperatorPlan:
    """What ``MpiOperator`` makes."""

    namespace: str
    image: str

    def deployment(self, watch: Link | None) -> dict[str, Any]:
        """Spec of the Deployment, whose pods look after jobs of the namespace ``watch``, or of all."""
        labels = {"app.kubernetes.io/name": OPERATOR, "app.kubernetes.io/managed-by": "rdma-cluster"}
        container = {
            "name": OPERATOR,
            "image": self.image,
            "args": [f"--lock-namespace={self.namespace}"],
            # The same as its flag --namespace, and the value may be known later.
            **({} if watch is None else {"env": [{"name": "KUBEFLOW_NAMESPACE", "value": watch}]}),
            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}},
            "securityContext": unprivileged(65532),
            "ports": [{"name": "health", "containerPort": _HEALTH_PORT}],
            "livenessProbe": {"httpGet": {"path": "/healthz", "port": _HEALTH_PORT}, "initialDelaySeconds": 10},
        }
        spec = {"serviceAccountName": OPERATOR, "enableServiceLinks": False, "containers": [container]}
        template = {"metadata": {"labels": labels}, "spec": spec}
        return {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}


def plan_mpi_operator(args: MpiOperatorArgs, errors: ErrorList) -> MpiOperatorPlan | None:
    """All choices of ``MpiOperator``. Returns ``None`` when an error was added."""
    if "image" in args:
        check_image(args["image"], errors.at("image"))
    for key in ("namespace", "watch"):
        if args.get(key) == "":
            errors.at(key).add("empty; name it, or leave the key out")
    if namespace := args.get("namespace"):
        check_namespace(namespace, [], errors.at("namespace"))
        taken = dict.fromkeys(OF_KUBERNETES, "Kubernetes itself") | our_namespaces()
        if namespace != OPERATOR and namespace in taken:
            errors.at("namespace").add(f"{namespace} is made already, for {taken[namespace]}; take another name")
    if errors:
        return None
    return MpiOperatorPlan(args.get("namespace", OPERATOR), args.get("image", MPI_OPERATOR.image))


# From the calls that the operator makes (mpi-operator@v0.8.0 pkg/controller/mpi_job_controller.go). Its own manifest
# asks for more: pods/exec, endpoints, custom resource definitions and every verb on its own kind, none of them used,
# and the groups of gang schedulers, which are off here.
JOB_RULES = [
    rule("", "configmaps secrets services", "list", "watch", "create", "update"),
    rule("", "pods", "list", "watch", "create", "delete"),
    rule("", "events", "create", "patch"),
    rule("batch", "jobs", "list", "watch", "create", "update"),
    rule("kubeflow.org", "mpijobs", "list", "watch"),
    rule("kubeflow.org", "mpijobs/status", "update"),
    # Its objects block the deletion of their MPIJob; that takes the right to finalize it.
    rule("kubeflow.org", "mpijobs/finalizers", "update"),
]
"""Where its jobs are. Secrets are among them: it makes each job's pair of ssh keys, and looks after them."""
PRIORITY_RULES = [rule("scheduling.k8s.io", "priorityclasses", "list", "watch")]
"""On the cluster: it reads these at its start, gang scheduling or not, and ends where it may not."""
LEADER_RULES = [rule("coordination.k8s.io", "leases", "get", "create", "update"), rule("", "events", "create", "patch")]
"""In its own namespace: one of its replicas leads."""


def crd() -> dict[str, Any]:
    """Spec of the CustomResourceDefinition.

    The operator judges each MPIJob itself. Its own schema repeats that of whole pods, in 300 kB, and silently drops
    what it does not know yet, such as a new field of a pod.
    """
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": anything, "status": anything}, "required": ["spec"]}
    version = {"name": "v2beta1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "group": "kubeflow.org",
        "scope": "Namespaced",
        "names": {"kind": "MPIJob", "listKind": "MPIJobList", "plural": "mpijobs", "singular": "mpijob"},
        "versions": [{**version, "subresources": {"status": {}}}],
    }
