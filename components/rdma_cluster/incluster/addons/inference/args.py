"""Args of `DistributedInference`: the user's options, the pools, and what pods on them need."""

from enum import Enum
from typing import NotRequired

from typing_extensions import TypedDict
from ....base.args import Choice, args_schema
from ....base.other_names import other_names
from ...plan.dra_drivers import InstalledBy
from ...plan.pool import TaintedPools


class InferenceSplit(str, Enum):
    """How a model is cut over the nodes."""

    PIPELINE = "pipeline"
    """Each node holds some layers, cut over its own GPUs: little goes over the fabric."""
    TENSOR = "tensor"
    """Every layer is cut over all GPUs of all nodes: each of them waits for the fabric."""


_BY_LINK = (
    "no key takes a link, which would stand in pods and in the state: fill the stack's storage once "
    "(docs/workloads.md, weights by a link), then write weights: {storage: true}"
)


@other_names({_BY_LINK: "par input_object_storage", "path": "mount_location", "claim_gb": "volume_size_in_gbs"})
@args_schema
class InferenceWeights(TypedDict):
    """Where the weights come from, and their size."""

    gb: NotRequired[int]
    """Size of the weights, GB: the sum of the model's `*.safetensors`. Default: as known of the model."""
    revision: NotRequired[str]
    """Commit or tag on Hugging Face. Default: the newest."""
    token_secret: NotRequired[str]
    """Secret of the namespace whose key ``token`` lets the model be downloaded. Default: ``hf-token`` where the model's
    publisher asks for one, else none."""
    storage: NotRequired[bool]
    """Take them from the stack's storage. Default: false."""
    claim: NotRequired[str]
    """PersistentVolumeClaim of the namespace that holds them, which every node can read. Default: each node downloads
    them onto its own disk."""
    claim_gb: NotRequired[int]
    """Capacity of that claim, GB, for checks."""
    path: NotRequired[str]
    """Folder of the weights in the claim. Default: its root."""
    annotations: NotRequired[dict[str, str]]
    """What the claim's driver asks of pods. Example, of a bucket on GKE: ``{"gke-gcsfuse/volumes": "true"}``."""
    service_account: NotRequired[str]
    """Account of the namespace that may read the claim's bucket. Default: the namespace's own."""


@other_names(  # OCI AI Blueprints
    {
        _BY_LINK: "input_object_storage",
        "nodes": "multinode_num_nodes_to_use_from_shared_pool",
        "image": "recipe_image_uri",
        "vllm_args": "recipe_container_command_args",
        "leave it out: NCCL_DEBUG is always on, since the check reads it": "recipe_container_env",
    }
)
@args_schema
class InferenceOptions(TypedDict):
    """A model that is served from several nodes."""

    model: str
    """Name on Hugging Face, by which it is also asked for. Example: ``meta-llama/Llama-3.1-405B-Instruct``."""
    nodes: NotRequired[int]
    """Nodes that hold the model together. Default: as many as it takes, at least 2."""
    pool: NotRequired[str]
    """The pool that serves. Default: the only one."""
    namespace: NotRequired[str]
    """Namespace of the pods, one that is there. Default: the first of the claim templates."""
    weights: NotRequired[InferenceWeights]
    """Where the weights come from. Default: each node downloads them onto its own disk."""
    max_model_len: NotRequired[int]
    """Longest request in tokens, answer included. Default: 32768, or what the model knows if that is less."""
    split: NotRequired[Choice[InferenceSplit]]
    """How the model is cut over the nodes. Default: ``pipeline``."""
    api_key_secret: NotRequired[str]
    """Secret of the namespace whose key ``key`` callers must send. Default: none: who reaches the Service may ask."""
    image: NotRequired[str]
    """An image of vLLM in the place of the pinned one. Default: the one that speaks the pool's fabric."""
    start_minutes: NotRequired[int]
    """How long the pods may take to load the weights. Default: 60."""
    vllm_args: NotRequired[list[str]]
    """Further words for ``vllm serve``. Example: ``["--max-num-seqs=64"]``."""
    controller: NotRequired[Choice[InstalledBy]]
    """Who brings the controller of LeaderWorkerSets. Default: ``installed``."""


@args_schema
class DistributedInferenceArgs(InferenceOptions, TaintedPools):
    """The model, and the pools of the cluster."""

    pod_files: NotRequired[Choice[InstalledBy]]
    """Who brings the files that pods on the pool read, as ConfigMaps of the namespace. Default: ``installed``."""
    waive: NotRequired[list[str]]
    """Gates of the check that may fail, of ``channels``, ``socket``, ``transport`` and ``gdr``. Default: none. In a
    stack those of ``acceptance.waive``."""
