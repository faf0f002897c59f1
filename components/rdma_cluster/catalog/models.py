"""Models whose size is known, for those who serve them over several nodes."""

from functools import partial

from pulumi_offline.frozen import frozen
from .machine import Source


@frozen(kw_only=True)
class Model:
    """What serving a model takes."""

    name: str
    """As Hugging Face has it."""
    parameters: int
    bytes_each: int
    """Of one parameter, in the published weights: 2 for bf16."""
    layers: int
    heads: int
    """Attention heads, which tensor parallelism divides."""
    kv_heads: int
    """Heads whose keys and values are kept."""
    head_size: int
    longest: int
    """Longest request in tokens, answer included."""
    gated: bool
    """Whether a download takes an account that its publisher let in."""
    sources: tuple[Source, ...]

    @property
    def weights_bytes(self) -> int:
        """Of all weights, as they are published."""
        return self.parameters * self.bytes_each

    @property
    def token_bytes(self) -> int:
        """Keys and values of one token in all layers, in bf16, each kept once."""
        return 2 * 2 * self.layers * self.kv_heads * self.head_size


_COUNTS = Source(
    "huggingface.co/api/models/meta-llama/Llama-3.1-{70B,405B} safetensors.total, of the base models; the instructed "
    "ones have their layers",
    "2026-10-01",
)
_SHAPES = Source(
    "github.com/meta-llama/llama-models models/sku_list.py, n_layers, n_heads, n_kv_heads, dim", "2026-08-21"
)
_CARD = Source(
    "github.com/meta-llama/llama-models models/llama3_1/MODEL_CARD.md, context length 128k, BF16", "2026-08-21"
)

_llama = partial(
    Model, bytes_each=2, kv_heads=8, head_size=128, longest=131_072, gated=True, sources=(_COUNTS, _SHAPES, _CARD)
)
LLAMA_405B = _llama(name="meta-llama/Llama-3.1-405B-Instruct", parameters=405_853_388_800, layers=126, heads=128)
LLAMA_70B = _llama(name="meta-llama/Llama-3.1-70B-Instruct", parameters=70_553_706_496, layers=80, heads=64)
MODELS = {model.name: model for model in (LLAMA_405B, LLAMA_70B)}
"""By name."""
