"""For each key of a served model, another value of it: most of them in one, since each graph takes its time."""

_MODEL = "model: meta-llama/Llama-3.1-405B-Instruct"
_OWN = "weights: {gb: 820, revision: main, tokenSecret: own}"
_CLAIM = (
    "weights: {gb: 820, claim: weights, claimGb: 900, path: llama, annotations: {gke-gcsfuse/volumes: 'true'}, "
    "serviceAccount: reader}"
)
_REST = (
    "nodes: 2, namespace: default, maxModelLen: 1024, split: pipeline, apiKeySecret: key, startMinutes: 90, "
    "image: mirror.example/vllm:1, vllmArgs: ['--max-num-seqs=64'], controller: existing"
)


_STORED = "weights: {storage: true}"


def changes(pool: str, *beside: str) -> dict[str, tuple[str, ...]]:
    """By key, what sets it on a stack whose pool has this name; ``beside`` makes the pool fit."""
    download = (*beside, f"inference={{{_MODEL}, pool: {pool}, {_OWN}, {_REST}}}")
    volume = (*beside, f"inference={{{_MODEL}, {_CLAIM}}}")
    stored = (*beside, "storage={existing: {claim: data}}", f"inference={{{_MODEL}, {_STORED}}}")
    of_rest = [each.partition(":")[0].strip() for each in _REST.replace("maxModelLen", "max_model_len").split(", ")]
    names = {"apiKeySecret": "api_key_secret", "startMinutes": "start_minutes", "vllmArgs": "vllm_args"}
    return {
        **{f"inference.{names.get(key, key)}": download for key in ("model", "pool", *of_rest)},
        **{f"inference.weights.{key}": download for key in ("gb", "revision", "token_secret")},
        "inference.weights.storage": stored,
        **{
            f"inference.weights.{key}": volume
            for key in ("claim", "claim_gb", "path", "annotations", "service_account")
        },
    }
