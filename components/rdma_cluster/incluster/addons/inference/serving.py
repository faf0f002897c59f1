"""What is served, decided: a model, its extent, the fabric of its pods."""

from nccl_verdict.expectation import Network
from pulumi_offline.frozen import frozen
from ...plan.host_ports import SERVING as PORT
from ...plan.workload import Workload
from .args import InferenceWeights

REVISION = "rdma-cluster/revision"
"""Label of pods, by which the check knows those of this very set."""


@frozen
class Serving:
    """A model, its extent and its pods' fabric."""

    name: str
    model: str
    namespace: str
    nodes: int
    tensor: int
    """GPUs that share each layer."""
    pipeline: int
    """Parts that layers are cut into, one after the other."""
    judge_image: str
    network: Network
    """What NCCL prints in its pods' logs."""
    tokens: int
    """Longest request."""
    weights: InferenceWeights
    weights_gb: int
    token_secret: str
    """Empty where the download needs none."""
    api_key_secret: str
    start_seconds: int
    words: tuple[str, ...]
    workload: Workload
    image: str = ""
    waive: tuple[str, ...] = ()
    """Gates of the check that may fail."""

    @property
    def service(self) -> str:
        """Name of the Service; the controller makes one of the set's own name for its pods' names."""
        return f"{self.name}-api"

    @property
    def endpoint(self) -> str:
        """Address of the API, inside the cluster."""
        return f"http://{self.service}.{self.namespace}.svc:{PORT}"

    @property
    def labels(self) -> dict[str, str]:
        """Of all its pods, and of no others."""
        return {"app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": self.name}

    @property
    def pods(self) -> tuple[str, ...]:
        """By name, the leader first, as the controller names them."""
        return (f"{self.name}-0", *(f"{self.name}-0-{i}" for i in range(1, self.nodes)))
