"""The judge as the data of a ConfigMap that is mounted at ``DIR/nccl``, for ``PYTHONPATH=DIR python3 -m nccl``."""

from rdma_agent.payload import payload


def files() -> dict[str, str]:
    """File name to source of the whole package ``nccl_verdict``."""
    return {key.removeprefix("nccl_verdict."): text for key, text in payload("nccl_verdict").items()}
