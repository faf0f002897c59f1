"""Kubernetes, simulated. Its words are unverified: see ``ErrorTexts``."""

from base64 import b64encode
from typing import Any

from pulumi_offline import sdk
from ..cloud import Cloud, ErrorTexts, Inputs

_BEGAN = "2026-11-23T00:00:00Z"


def kept(token: str, inputs: Inputs) -> Inputs:
    """A custom resource without empty maps and lists in its metadata, as an API server keeps it.

    From objects of kinds that the provider knows it takes them itself before it compares
    (github.com/pulumi/pulumi-kubernetes@9497796 provider/pkg/provider/provider.go: normalizeInputs), seen 2026-11-23.
    """
    metadata = inputs.get("metadata")
    if sdk.resource_class(token) is not None or not isinstance(metadata, dict):
        return inputs
    return {**inputs, "metadata": {key: each for key, each in metadata.items() if not _empty(each)}}


def read_back(token: str, inputs: Inputs, outputs: Inputs) -> Inputs:
    """An object as the provider found it on an API server (`make real`, 2026-11-23).

    It has what the program says, what the server has set in its metadata, and a status; no key that is only possible.
    """
    if "kind" not in inputs:
        return outputs
    found = {key: each for key, each in outputs.items() if key in inputs or key in ("id", "metadata", "status")}
    metadata = {"creationTimestamp": _BEGAN, **outputs.get("metadata", {})}
    if token.endswith(":Namespace"):
        metadata["labels"] = {"kubernetes.io/metadata.name": metadata.get("name"), **metadata.get("labels", {})}
        found["spec"] = {"finalizers": ["kubernetes"]}
    if token.endswith("/v1:Job"):
        # One whose pod 0 decides ends by the first, any by the second.
        ended = [{"type": kind, "status": "True"} for kind in ("SuccessCriteriaMet", "Complete")]
        found["status"] = {"conditions": ended, "succeeded": inputs["spec"].get("completions", 1)}
    if inputs.get("type") == "kubernetes.io/service-account-token":
        # The provider waits for what the server puts there (its awaiters: untilCoreV1SecretInitialized), 2026-11-26.
        found["data"] = {key: b64encode(key.encode()).decode() for key in ("ca.crt", "namespace", "token")}
    return {**found, "metadata": metadata}


def _empty(value: Any) -> bool:
    return isinstance(value, dict | list) and not value


KUBERNETES = Cloud(
    package="kubernetes",
    sdk="pulumi_kubernetes",
    error_texts=ErrorTexts(
        exists='resource "{name}" already exists: object is being created by another client',
        absent='"{other}" not found',
        in_use='"{name}" is in use by "{other}"',
        quota='"{name}" is forbidden: exceeded quota: {token}',
        capacity='"{name}": 0/2 nodes are available: insufficient capacity',
        timeout='the Kubernetes API server reported that "{name}" failed to fully initialize or become live: timed out '
        "waiting for the condition within {other}",
        unavailable="the server is currently unable to handle the request: {name}",
    ),
    kept=kept,
    read_back=read_back,
)
