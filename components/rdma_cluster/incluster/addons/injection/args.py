"""What the user has to say of the fabric given at admission, and what ``FabricInjection`` takes."""

from enum import Enum
from typing import NotRequired

from typing_extensions import TypedDict
from ....base.args import Choice, args_schema
from ....base.other_names import other_names
from ...plan.claim_templates import ClaimOptions
from ...plan.pool import InClusterPool


class InjectionEngine(str, Enum):
    """What changes pods at admission."""

    NATIVE = "native"
    """The API server itself, by a MutatingAdmissionPolicy; from Kubernetes 1.36 on."""
    KYVERNO = "kyverno"
    """Kyverno 1.17 or later, which you bring, by MutatingPolicies."""


@other_names(  # NeMo Platform's chart, below multinodeNetworking
    {
        "leave it out: the machine says how many NICs a GPU has": "efaDevicesPerGPU rdmaDevicesPerGPU",
        "leave it out: the fabric names it; else AKS has drivers.rdmaResource, OKE rdma.resource": "rdmaDeviceName",
        "leave it out: the stack's cloud is known": "aws azure gcp oci",
    }
)
@args_schema
class InjectionSettings(TypedDict):
    """Which pods are changed, and by what."""

    engine: NotRequired[Choice[InjectionEngine]]
    """What changes the pods. Default: ``native``."""
    beta: NotRequired[bool]
    """The cluster serves `admissionregistration.k8s.io/v1beta1` with its gate `MutatingAdmissionPolicy` on, which takes
    the native engine on Kubernetes 1.34 and 1.35. Default: false, as on every managed cluster."""
    annotation: NotRequired[str]
    """Annotation by which a pod asks for the fabric, with the value ``true``. Default: ``rdma-cluster/inject``."""
    nemo: NotRequired[bool]
    """Also listen to the annotation of NeMo Platform, under its old and its new name. Default: false."""
    namespaces: NotRequired[list[str]]
    """Namespaces whose pods are looked at. Default: those of the claim templates."""
    every_pod: NotRequired[bool]
    """Every pod of these namespaces that asks for GPUs gets the fabric, so that manifests need no annotation; its value
    ``false`` leaves a pod out. Default: false."""


@args_schema
class InjectionOptions(InjectionSettings):
    """Whether pods that only ask for GPUs are given the fabric at admission."""

    enabled: bool
    """Install the policies."""


@args_schema
class FabricInjectionArgs(InjectionSettings):
    """The pools of a cluster, and which pods get their fabrics."""

    pools: list[InClusterPool]
    """The GPU pools."""
    pool_label: str
    """Node label that holds a pool's name. Example: ``eks.amazonaws.com/nodegroup``."""
    taint: NotRequired[dict[str, str]]
    """Key and value of the GPU taint, ``{"key": ..., "value": ...}``. Default: none."""
    host: NotRequired[str]
    """Operating system of the nodes. Nothing here follows from it."""
    other_taints: NotRequired[dict[str, str]]
    """Values by key of taints that some of the nodes have besides. Default: none."""
    claims: NotRequired[ClaimOptions]
    """Which claim templates the namespaces have: the same options as those of ``ClaimTemplates``."""
    version: NotRequired[str]
    """Kubernetes version of the cluster. Default: ``1.35``."""
