"""The MPI operator: what it may do, how it runs, and the shape of the objects that it serves."""

from typing import Any, NotRequired

from typing_extensions import TypedDict

from ...args import Link, args_schema
from ...catalog.images import MPI_OPERATOR
from ...errors import ErrorList
from ...frozen import frozen
from .claim_templates import OF_KUBERNETES, OUR_NAMESPACES, check_namespace
from .images import check_image
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
    deployment: dict[str, Any]
    """Spec of the Deployment."""


def plan_mpi_operator(args: MpiOperatorArgs, errors: ErrorList) -> MpiOperatorPlan | None:
    """All choices of ``MpiOperator``. Returns ``None`` when an error was added."""
    if "image" in args:
        check_image(args["image"], errors.at("image"))
    for key in ("namespace", "watch"):
        if args.get(key) == "":
            errors.at(key).add("empty; name it, or leave the key out")
    if namespace := args.get("namespace"):
        check_namespace(namespace, [], errors.at("namespace"))
        taken = dict.fromkeys(OF_KUBERNETES, "Kubernetes itself") | OUR_NAMESPACES
        if namespace != OPERATOR and namespace in taken:
            errors.at("namespace").add(f"{namespace} is made already, for {taken[namespace]}; take another name")
    if errors:
        return None
    namespace = args.get("namespace", OPERATOR)
    image = args.get("image", MPI_OPERATOR.image)
    return MpiOperatorPlan(namespace, _deployment(namespace, args.get("watch"), image))


def _rule(group: str, resources: list[str], verbs: list[str]) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}


# From the calls that the operator makes (mpi-operator@v0.8.0 pkg/controller/mpi_job_controller.go). Its own manifest
# asks for more: pods/exec, endpoints, custom resource definitions and every verb on its own kind, none of them used,
# and the groups of gang schedulers, which are off here.
JOB_RULES = [
    _rule("", ["configmaps", "secrets", "services"], ["list", "watch", "create", "update"]),
    _rule("", ["pods"], ["list", "watch", "create", "delete"]),
    _rule("", ["events"], ["create", "patch"]),
    _rule("batch", ["jobs"], ["list", "watch", "create", "update"]),
    _rule("kubeflow.org", ["mpijobs"], ["list", "watch"]),
    _rule("kubeflow.org", ["mpijobs/status"], ["update"]),
    # Its objects block the deletion of their MPIJob; that takes the right to finalize it.
    _rule("kubeflow.org", ["mpijobs/finalizers"], ["update"]),
]
"""Where its jobs are. Secrets are among them: it makes each job's pair of ssh keys, and looks after them."""
PRIORITY_RULES = [_rule("scheduling.k8s.io", ["priorityclasses"], ["list", "watch"])]
"""On the cluster: it reads these at its start, gang scheduling or not, and ends where it may not."""
LEADER_RULES = [
    _rule("coordination.k8s.io", ["leases"], ["get", "create", "update"]),
    _rule("", ["events"], ["create", "patch"]),
]
"""In its own namespace: one of its replicas leads."""


def _deployment(namespace: str, watch: Link | None, image: str) -> dict[str, Any]:
    labels = {"app.kubernetes.io/name": OPERATOR, "app.kubernetes.io/managed-by": "rdma-cluster"}
    container = {
        "name": OPERATOR,
        "image": image,
        "args": [f"--lock-namespace={namespace}"],
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
