"""Images that others publish for users' own pods, and what they are known not to hold.

Only what a publisher says of its images stands here: an image that nobody speaks of may hold anything.
"""

from pulumi_offline.frozen import frozen
from .images import VLLM_EFA
from .machine import Source


@frozen
class WithoutPlugin:
    """Images of one repository that hold no plugin of NCCL's, so that NCCL does not find the NICs."""

    repository: str
    """As users write it."""
    plugin: str
    """Example: ``aws-ofi-nccl``."""
    instead: str
    """What holds it, for people."""
    source: Source
    holds: str = ""
    """A part of the tags of those that do hold it; empty where none do."""


_DYNAMO = Source(
    "github.com/ai-dynamo/dynamo/pull/6650 and /8924: images with EFA are built apart, with -efa in their tag",
    "2026-04-30",
)
WITHOUT_PLUGIN = (
    WithoutPlugin(
        "vllm/vllm-openai",
        "aws-ofi-nccl",
        f"{VLLM_EFA.image}, or an image of your own with it",
        Source("github.com/vllm-project/vllm/pull/55783, open: it is the first to add AWS's libraries", "2026-09-08"),
    ),
    *(
        WithoutPlugin(
            f"nvcr.io/nvidia/ai-dynamo/{backend}-runtime",
            "aws-ofi-nccl",
            "the image of the same release that has -efa in its tag",
            _DYNAMO,
            holds="-efa",
        )
        for backend in ("vllm", "sglang", "tensorrtllm")
    ),
)
