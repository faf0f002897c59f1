"""A pod that serves: a whole node, vLLM by the fabric's own settings, and probes that prove something."""

from typing import Any

from ....fabrics import HostNetwork
from ...plan.full_node import apart, claims, devices, placed
from ...plan.security import runs_nccl, verbatim
from .parallelism import MEMORY_SHARE
from .serving import PORT, REVISION, Serving

_MEETING_PORT = 29501
"""Where the workers find the leader, vLLM's own default."""
_WEIGHTS = "/weights"
_PROBE_SECONDS = 10


def template(serving: Serving, revision: str, role: str) -> dict[str, Any]:
    """Of the ``leader``, or of a ``worker``."""
    part, weights = serving.workload.pod_patch(), serving.weights
    labels = serving.labels
    annotations = {**part.get("annotations", {}), **weights.get("annotations", {})}
    volume: dict[str, Any] = {"emptyDir": {}}
    if "claim" in weights:
        volume = {"persistentVolumeClaim": {"claimName": weights["claim"], "readOnly": True}}
    return {
        "metadata": {
            "labels": {**labels, "rdma-cluster/role": role, REVISION: revision},
            **({"annotations": annotations} if annotations else {}),
        },
        "spec": {
            "automountServiceAccountToken": False,
            **({"serviceAccountName": weights["service_account"]} if "service_account" in weights else {}),
            "enableServiceLinks": False,
            **placed(part, claims(serving.workload)),
            "affinity": apart(labels),
            "containers": [_container(serving, role)],
            "volumes": [*part["volumes"], {"name": "weights", **volume}],
        },
    }


def _container(serving: Serving, role: str) -> dict[str, Any]:
    part = serving.workload.pod_patch()
    resources = devices(part, claims(serving.workload))
    by_claim, source = "claim" in serving.weights, part["source"]
    if not by_claim:
        resources["requests"] = {**resources.get("limits", {}), "ephemeral-storage": f"{serving.weights_gb}G"}
    return {
        "name": "vllm",
        "image": serving.image,
        # AWS's image has an entry point of its own.
        "command": ["bash", "-c", f'source {source} && exec vllm serve "$@"', "vllm"] if source else ["vllm", "serve"],
        "args": [
            *_words(serving),
            *(["--headless"] if role == "worker" else ["--port", str(PORT)]),
            *map(verbatim, serving.words),
        ],
        "env": _env(serving, part["env"]),
        "resources": resources,
        "securityContext": runs_nccl(part),
        "volumeMounts": [
            *part["volumeMounts"],
            {"name": "weights", "mountPath": _WEIGHTS, **({"readOnly": True} if by_claim else {})},
        ],
        **_probes(serving, role),
    }


def _words(serving: Serving) -> list[str]:
    weights = serving.weights
    folder = "/".join(each for each in (_WEIGHTS, weights.get("path", "")) if each)
    words = [
        folder if "claim" in weights else serving.model,
        *("--served-model-name", serving.model),
        *("--tensor-parallel-size", str(serving.tensor)),
        *("--pipeline-parallel-size", str(serving.pipeline)),
        # By itself, with no cluster of Ray: vLLM's images hold none since 0.19.
        *("--distributed-executor-backend", "mp"),
        *("--nnodes", "$(LWS_GROUP_SIZE)"),
        *("--node-rank", "$(LWS_WORKER_INDEX)"),
        *("--master-addr", "$(LWS_LEADER_ADDRESS)"),
        *("--master-port", str(_MEETING_PORT)),
        # One node may have its weights long before another.
        *("--distributed-timeout-seconds", str(serving.start_seconds)),
        *("--gpu-memory-utilization", f"{MEMORY_SHARE:.2f}"),
        *("--max-model-len", str(serving.tokens)),
    ]
    return [*words, "--revision", weights["revision"]] if "revision" in weights else words


def _env(serving: Serving, of_fabric: list[dict[str, str]]) -> list[dict[str, Any]]:
    values: dict[str, Any] = {
        "VLLM_ENGINE_READY_TIMEOUT_S": str(serving.start_seconds),
        "VLLM_NO_USAGE_STATS": "1",
        # What the check reads.
        "NCCL_DEBUG": "INFO",
        "NCCL_DEBUG_SUBSYS": "INIT,NET",
    }
    if "claim" in serving.weights:
        values["HF_HUB_OFFLINE"] = "1"
    else:
        values["HF_HOME"] = _WEIGHTS
    if not isinstance(serving.workload.fabric.nic_attachment, HostNetwork):
        # The pod's own interface; the rails have addresses, too, and lead nowhere else.
        values |= {"NCCL_SOCKET_IFNAME": "eth0", "GLOO_SOCKET_IFNAME": "eth0"}
    values |= {each["name"]: each["value"] for each in of_fabric}
    env: list[dict[str, Any]] = [{"name": name, "value": value} for name, value in values.items()]
    env.append({"name": "VLLM_HOST_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}})
    if serving.token_secret:
        env.append(from_secret("HF_TOKEN", serving.token_secret, "token"))
    if serving.api_key_secret:
        env.append(from_secret("VLLM_API_KEY", serving.api_key_secret, "key"))
    return env


def from_secret(name: str, secret: str, key: str) -> dict[str, Any]:
    """A variable whose value is in a Secret."""
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}


def _probes(serving: Serving, role: str) -> dict[str, Any]:
    """vLLM's leader answers when its engine lives, which it does on every node or on none.

    A worker has no port of its own, and ends when one of its processes does; it does not see that the leader has gone.
    A process that runs proves nothing (awsome-distributed-ai#1230), a leader that a worker reaches does.
    """
    dial = f"exec 3<>/dev/tcp/$LWS_LEADER_ADDRESS/{_MEETING_PORT}"
    probe: dict[str, Any] = {"periodSeconds": _PROBE_SECONDS, "timeoutSeconds": 5}
    if role == "leader":
        probe["httpGet"] = {"path": "/health", "port": PORT}
    else:
        probe["exec"] = {"command": ["bash", "-c", dial]}
    return {
        "startupProbe": {**probe, "failureThreshold": -(-serving.start_seconds // _PROBE_SECONDS)},
        "readinessProbe": {**probe, "failureThreshold": 3},
        "livenessProbe": {**probe, "failureThreshold": 6},
    }
