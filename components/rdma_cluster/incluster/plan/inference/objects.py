"""The objects that serve a model: the group of pods, the way to it, and the check that `up` waits for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ....fabrics import HostNetwork
from ....nccl.bundle import PACKAGE, SERVING, files
from ...in_pod import FOLDER, script
from ..acceptance.indexed_job import AGAIN
from ..acceptance.pod import as_root, claims, unprivileged
from ..lws import API_VERSION
from ..workload import Workload
from .args import InferenceWeights
from .sizes import MEMORY_SHARE

PORT = 8000
_MEETING_PORT = 29501
"""Where the workers find the leader, vLLM's own default."""
_WEIGHTS = "/weights"
_OF_NCCL = "SYS_NICE"
_PROBE_SECONDS = 10
_PULL_SECONDS = 900  # a node's first pull of an image of 8 to 20 GB
_CHECK_SECONDS = 300  # the request, and the logs
_FILE = "serving_check.py"
_REVISION = "rdma-cluster/revision"
"""Label of pods, by which the check knows those of this very set."""


@dataclass(frozen=True)
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
    image: str
    judge_image: str
    transport: str
    """As ``NETWORKS`` of the judge has it."""
    tokens: int
    """Longest request."""
    weights: InferenceWeights
    weights_gb: int
    token_secret: str
    """Empty where nothing is asked for."""
    api_key_secret: str
    start_seconds: int
    words: tuple[str, ...]
    waive: tuple[str, ...]
    """Gates of the check that may fail."""
    workload: Workload

    @property
    def service(self) -> str:
        """Name of the Service; the controller makes one of the set's own name for its pods' names."""
        return f"{self.name}-api"

    @property
    def endpoint(self) -> str:
        """Where it is asked, inside the cluster."""
        return f"http://{self.service}.{self.namespace}.svc:{PORT}"

    @property
    def pods(self) -> tuple[str, ...]:
        """By name, the leader first, as the controller names them."""
        return (f"{self.name}-0", *(f"{self.name}-0-{i}" for i in range(1, self.nodes)))


@dataclass(frozen=True)
class Objects:
    """What is made, in the Kubernetes API's own form."""

    leader_worker_set: dict[str, Any]
    service: dict[str, Any]
    network_policy: dict[str, Any]
    check: str
    """Name of the Job, of its account, its Role and its files."""
    check_rules: tuple[dict[str, Any], ...]
    check_files: dict[str, str]
    check_job: dict[str, Any]
    check_seconds: int


def objects(serving: Serving) -> Objects:
    """All of them. The set has a label that is another when anything of it is."""
    group = _set(serving, "")
    revision = sha256(json.dumps(group, sort_keys=True).encode()).hexdigest()[:8]
    group = _set(serving, revision)
    labels = _labels(serving)
    check = f"{serving.name}-check"
    seconds = _PULL_SECONDS + serving.start_seconds + _CHECK_SECONDS
    return Objects(
        leader_worker_set=group,
        service={
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {
                "name": serving.service,
                "namespace": serving.namespace,
                # It has an endpoint when the model is loaded, for which the check waits, and says more where it is not.
                "annotations": {"pulumi.com/skipAwait": "true"},
            },
            "spec": {
                "type": "ClusterIP",
                "selector": {**labels, "rdma-cluster/role": "leader"},
                "ports": [{"name": "http", "port": PORT, "targetPort": PORT}],
            },
        },
        network_policy={
            "podSelector": {"matchLabels": labels},
            "policyTypes": ["Ingress"],
            # Between its nodes vLLM takes orders from whoever reaches it; others get the API alone.
            "ingress": [
                {"from": [{"podSelector": {"matchLabels": labels}}]},
                {"ports": [{"protocol": "TCP", "port": PORT}]},
            ],
        },
        check=check,
        check_rules=tuple(
            {"apiGroups": [""], "resources": [kind], "resourceNames": list(serving.pods), "verbs": ["get"]}
            for kind in ("pods", "pods/log")
        ),
        check_files={**files(SERVING), _FILE: script(_FILE)},
        check_job=_check_job(serving, f"{check}-{revision}", check, revision, seconds),
        check_seconds=seconds + 300,
    )


def _set(serving: Serving, revision: str) -> dict[str, Any]:
    return {
        "apiVersion": API_VERSION,
        "kind": "LeaderWorkerSet",
        "metadata": {
            "name": serving.name,
            "namespace": serving.namespace,
            # Its pods hold claims, which the drivers must take back before they go.
            "annotations": {"pulumi.com/deletionPropagationPolicy": "foreground"},
        },
        "spec": {
            "replicas": 1,
            "leaderWorkerTemplate": {
                "size": serving.nodes,
                # NCCL lets nobody back in: one pod that ends is the end of the group.
                "restartPolicy": "RecreateGroupOnPodRestart",
                "leaderTemplate": _template(serving, revision, "leader"),
                "workerTemplate": _template(serving, revision, "worker"),
            },
        },
    }


def _labels(serving: Serving) -> dict[str, str]:
    return {"app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": serving.name}


def _template(serving: Serving, revision: str, role: str) -> dict[str, Any]:
    part, weights = serving.workload.fragment(), serving.weights
    labels = _labels(serving)
    claimed = claims(serving.workload)
    apart = {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}
    said = {**part.get("annotations", {}), **weights.get("annotations", {})}
    annotations = {"annotations": said} if said else {}
    return {
        "metadata": {"labels": {**labels, "rdma-cluster/role": role, _REVISION: revision}, **annotations},
        "spec": {
            "automountServiceAccountToken": False,
            **({"serviceAccountName": weights["service_account"]} if "service_account" in weights else {}),
            "enableServiceLinks": False,
            "nodeSelector": part["nodeSelector"],
            "tolerations": part["tolerations"],
            "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}},
            **({"resourceClaims": claimed} if claimed else {}),
            **({"initContainers": part["initContainers"]} if "initContainers" in part else {}),
            **({"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"} if "hostNetwork" in part else {}),
            "containers": [_container(serving, role)],
            "volumes": [*part["volumes"], _volume(serving)],
        },
    }


def _container(serving: Serving, role: str) -> dict[str, Any]:
    part = serving.workload.fragment()
    of_set = [{"name": each["name"]} for each in claims(serving.workload)]
    devices = {**part["resources"], **({"claims": of_set} if of_set else {})}
    if "claim" not in serving.weights:
        devices["requests"] = {**devices.get("limits", {}), "ephemeral-storage": f"{serving.weights_gb}G"}
    security = part["securityContext"]
    capabilities = security["capabilities"]["add"]
    return {
        "name": "vllm",
        "image": serving.image,
        "command": _command(part["source"]),
        "args": [*_words(serving), *(["--headless"] if role == "worker" else ["--port", str(PORT)]), *serving.words],
        "env": _env(serving, part["env"]),
        "resources": devices,
        "securityContext": security if security.get("privileged") else as_root(*capabilities, _OF_NCCL),
        "volumeMounts": [
            *part["volumeMounts"],
            {"name": "weights", "mountPath": _WEIGHTS, **({"readOnly": True} if "claim" in serving.weights else {})},
        ],
        **(_leader_probes(serving) if role == "leader" else _worker_probes(serving)),
    }


def _command(source: str) -> list[str]:
    """What starts it; AWS's image has an entry point of its own."""
    if not source:
        return ["vllm", "serve"]
    return ["bash", "-c", f'source {source} && exec vllm serve "$@"', "vllm"]


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
    if not isinstance(serving.workload.fabric.exposure, HostNetwork):
        # The pod's own interface; the rails have addresses, too, and lead nowhere else.
        values |= {"NCCL_SOCKET_IFNAME": "eth0", "GLOO_SOCKET_IFNAME": "eth0"}
    values |= {each["name"]: each["value"] for each in of_fabric}
    env: list[dict[str, Any]] = [{"name": name, "value": value} for name, value in values.items()]
    env.append({"name": "VLLM_HOST_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}})
    if serving.token_secret:
        env.append(_secret("HF_TOKEN", serving.token_secret, "token"))
    if serving.api_key_secret:
        env.append(_secret("VLLM_API_KEY", serving.api_key_secret, "key"))
    return env


def _secret(name: str, secret: str, key: str) -> dict[str, Any]:
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}


def _volume(serving: Serving) -> dict[str, Any]:
    if "claim" in serving.weights:
        claim = {"claimName": serving.weights["claim"], "readOnly": True}
        return {"name": "weights", "persistentVolumeClaim": claim}
    return {"name": "weights", "emptyDir": {}}


def _leader_probes(serving: Serving) -> dict[str, Any]:
    """vLLM answers when its engine lives, which it does on every node or on none."""
    asked = {"httpGet": {"path": "/health", "port": PORT}, "periodSeconds": _PROBE_SECONDS, "timeoutSeconds": 5}
    return _probes(asked, serving)


def _worker_probes(serving: Serving) -> dict[str, Any]:
    """A worker has no port of its own, and ends when one of its processes does; what it does not see is that the
    leader has gone. A process that runs proves nothing (awsome-distributed-ai#1230), a leader that can be met does."""
    dial = f"exec 3<>/dev/tcp/$LWS_LEADER_ADDRESS/{_MEETING_PORT}"
    met = {"exec": {"command": ["bash", "-c", dial]}, "periodSeconds": _PROBE_SECONDS, "timeoutSeconds": 5}
    return _probes(met, serving)


def _probes(asked: Mapping[str, Any], serving: Serving) -> dict[str, Any]:
    return {
        "startupProbe": {**asked, "failureThreshold": -(-serving.start_seconds // _PROBE_SECONDS)},
        "readinessProbe": {**asked, "failureThreshold": 3},
        "livenessProbe": {**asked, "failureThreshold": 6},
    }


def _check_job(serving: Serving, name: str, account: str, revision: str, seconds: int) -> dict[str, Any]:
    container = {
        "name": "check",
        "image": serving.judge_image,
        "command": ["python3", f"{FOLDER}/{PACKAGE}/{_FILE}"],
        "args": [
            *("--namespace", serving.namespace),
            *("--pods", *serving.pods),
            *("--label", f"{_REVISION}={revision}"),
            *("--url", serving.endpoint),
            *("--model", serving.model),
            *("--transport", serving.transport),
            *("--seconds", str(seconds)),
            *(word for gate in serving.waive for word in ("--waive", gate)),
        ],
        "env": [
            {"name": "PYTHONPATH", "value": FOLDER},
            *([_secret("API_KEY", serving.api_key_secret, "key")] if serving.api_key_secret else []),
        ],
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": unprivileged(),
        "volumeMounts": [
            {"name": "files", "mountPath": f"{FOLDER}/{PACKAGE}"},
            {"name": "logs", "mountPath": "/tmp"},
        ],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": serving.namespace, "annotations": AGAIN},
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": seconds + 120,
            "template": {
                "metadata": {"labels": {"app.kubernetes.io/name": "serving-check"}},
                "spec": {
                    "restartPolicy": "Never",
                    "serviceAccountName": account,
                    "enableServiceLinks": False,
                    "containers": [container],
                    "volumes": [
                        {"name": "files", "configMap": {"name": account}},
                        {"name": "logs", "emptyDir": {}},
                    ],
                },
            },
        },
    }
