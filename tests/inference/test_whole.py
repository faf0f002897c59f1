"""All that a served model is made of, in full: its pods, their group, and the way to it."""

from typing import Any

import pytest
from tests.inference.pods import LLAMA, container, plan, pod

NAME = "llama-3-1-405b-instruct"
LABELS = {"app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": NAME}
CLAIM = {"claim": "models", "claim_gb": 900}
FROM_SECRET = {
    "HF_TOKEN": {"secretKeyRef": {"name": "hf-token", "key": "token"}},
    "VLLM_API_KEY": {"secretKeyRef": {"name": "mine", "key": "key"}},
    "VLLM_HOST_IP": {"fieldRef": {"fieldPath": "status.podIP"}},
}


def words_of(made: Any) -> dict[str, list[str]]:
    """What vllm serve is given, by role."""
    return {role: container(made, role)["args"] for role in ("leader", "worker")}


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ({}, LLAMA, []),
        ({"weights": {"revision": "be673f3"}}, LLAMA, ["--revision", "be673f3"]),
        ({"weights": CLAIM}, "/weights", []),
        ({"weights": {**CLAIM, "path": "llama/405b"}}, "/weights/llama/405b", []),
    ],
)
def test_the_words_of_vllm(said: dict[str, Any], first: str, last: list[str]):
    """The model by its name or folder, how it is cut, how its nodes meet; then the role's own, then the user's."""
    minutes = {"start_minutes": 2, "max_model_len": 4096, "vllm_args": ["--seed=7", "--max-num-seqs", "$(X)"]}
    both = [
        *(first, "--served-model-name", LLAMA),
        *("--tensor-parallel-size", "8", "--pipeline-parallel-size", "2"),
        *("--distributed-executor-backend", "mp", "--nnodes", "$(LWS_GROUP_SIZE)", "--node-rank"),
        *("$(LWS_WORKER_INDEX)", "--master-addr", "$(LWS_LEADER_ADDRESS)", "--master-port", "29501"),
        *("--distributed-timeout-seconds", "120", "--gpu-memory-utilization", "0.90", "--max-model-len", "4096"),
        *last,
    ]
    users = ["--seed=7", "--max-num-seqs", "$$(X)"]

    assert words_of(plan("oke", **said, **minutes)) == {
        "leader": [*both, "--port", "8000", *users],
        "worker": [*both, "--headless", *users],
    }


ALWAYS = {"VLLM_ENGINE_READY_TIMEOUT_S": "120", "VLLM_NO_USAGE_STATS": "1"}
LOGGED = {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,NET"}
ON_POD = {"NCCL_SOCKET_IFNAME": "eth0", "GLOO_SOCKET_IFNAME": "eth0"}
GIB = {"LD_LIBRARY_PATH": "/usr/local/nvidia/lib64", "NCCL_NET": "gIB"}


@pytest.mark.parametrize(
    ("said", "values", "secrets"),
    [
        ({}, {"HF_HOME": "/weights"}, ["VLLM_HOST_IP", "HF_TOKEN"]),
        ({"weights": CLAIM}, {"HF_HUB_OFFLINE": "1"}, ["VLLM_HOST_IP"]),
        ({"api_key_secret": "mine"}, {"HF_HOME": "/weights"}, ["VLLM_HOST_IP", "HF_TOKEN", "VLLM_API_KEY"]),
        ({"weights": {**CLAIM}, "api_key_secret": "mine"}, {"HF_HUB_OFFLINE": "1"}, ["VLLM_HOST_IP", "VLLM_API_KEY"]),
    ],
)
def test_the_environment_of_vllm(said: dict[str, Any], values: dict[str, str], secrets: list[str]):
    """What the check reads, where weights are, the pod's own interface, the fabric's settings; and secrets by name."""
    env = container(plan("a4", start_minutes=2, **said), "worker")["env"]

    assert env == [
        *({"name": key, "value": value} for key, value in (ALWAYS | LOGGED | values | ON_POD | GIB).items()),
        *({"name": key, "valueFrom": FROM_SECRET[key]} for key in secrets),
    ]


@pytest.mark.parametrize(
    ("model", "said", "secret"),
    [
        (LLAMA, {}, "hf-token"),
        (LLAMA, {"token_secret": "of-mine"}, "of-mine"),
        ("a/b", {"gb": 900}, ""),
        ("a/b", {"gb": 900, "token_secret": "of-mine"}, "of-mine"),
        (LLAMA, CLAIM, ""),
    ],
)
def test_who_needs_a_token(model: str, said: dict[str, Any], secret: str):
    """Whoever downloads a model whose publisher asks for one, or is told to send one; the user is told which."""
    made = plan("oke", model=model, weights=said)
    tokens = [each["valueFrom"] for each in container(made, "leader")["env"] if each["name"] == "HF_TOKEN"]

    assert tokens == ([{"secretKeyRef": {"name": secret, "key": "token"}}] if secret else [])
    waits = f"inference: pods wait for Secret {secret} with key token in namespace default"
    assert [each for each in made.warnings if "pods wait" in each] == ([waits] if secret else [])


GPUS = {"nvidia.com/gpu": "8"}


@pytest.mark.parametrize(
    ("on", "said", "resources"),
    [
        ("a4", {}, {"claims": [{"name": "fabric-0"}], "requests": {"ephemeral-storage": "812G"}}),
        ("a4", {"weights": CLAIM}, {"claims": [{"name": "fabric-0"}]}),
        ("oke", {}, {"limits": GPUS, "requests": {**GPUS, "ephemeral-storage": "812G"}}),
        ("oke", {"weights": CLAIM}, {"limits": GPUS}),
    ],
)
def test_what_a_pod_asks_for(on: str, said: dict[str, Any], resources: dict[str, Any]):
    """The node's devices; room on its disk where it downloads."""
    assert container(plan(on, **said), "leader")["resources"] == resources


def test_a_pod_of_a_group():
    """It has no token of the cluster, no variables of other Services, and a node of the pool for itself."""
    spec = pod(plan("a4"), "worker")
    (box,) = spec.pop("containers")

    assert spec == {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "nodeSelector": {"pool": "a4"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}],
        "resourceClaims": [{"name": "fabric-0", "resourceClaimTemplateName": f"{NAME}-a4-highgpu-8g-whole"}],
        "affinity": {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {"labelSelector": {"matchLabels": LABELS}, "topologyKey": "kubernetes.io/hostname"}
                ]
            }
        },
        "volumes": [
            {"name": "nvidia", "hostPath": {"path": "/home/kubernetes/bin/nvidia"}},
            {"name": "gib", "hostPath": {"path": "/home/kubernetes/bin/gib"}},
            {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "250Gi"}},
            {"name": "weights", "emptyDir": {}},
        ],
    }
    assert (box["name"], box["image"]) == ("vllm", "docker.io/vllm/vllm-openai:v0.28.0-cu129")
    assert box["command"] == [
        *("bash", "-c", 'source /usr/local/gib/scripts/set_nccl_env.sh && exec vllm serve "$@"', "vllm")
    ]
    assert box["volumeMounts"] == [
        {"name": "nvidia", "mountPath": "/usr/local/nvidia", "readOnly": True},
        {"name": "gib", "mountPath": "/usr/local/gib", "readOnly": True},
        {"name": "shared-memory", "mountPath": "/dev/shm"},
        {"name": "weights", "mountPath": "/weights"},
    ]


@pytest.mark.parametrize(
    ("role", "asks"),
    [
        ("leader", {"httpGet": {"path": "/health", "port": 8000}}),
        ("worker", {"exec": {"command": ["bash", "-c", "exec 3<>/dev/tcp/$LWS_LEADER_ADDRESS/29501"]}}),
    ],
)
def test_how_a_pod_is_probed(role: str, asks: dict[str, Any]):
    """By the same question at every age, which may fail until the weights are loaded, and then for a minute at most."""
    box = container(plan("oke", start_minutes=2), role)
    often = {**asks, "periodSeconds": 10, "timeoutSeconds": 5}

    assert {key: each for key, each in box.items() if key.endswith("Probe")} == {
        "startupProbe": {**often, "failureThreshold": 12},
        "readinessProbe": {**often, "failureThreshold": 3},
        "livenessProbe": {**often, "failureThreshold": 6},
    }


def test_the_group():
    """One group of as many pods as nodes, whose end takes claims along; labels tell leader, workers and revision."""
    group = plan("a4").objects.leader_worker_set
    template = group["spec"]["leaderWorkerTemplate"]
    revision = template["leaderTemplate"]["metadata"]["labels"]["rdma-cluster/revision"]

    assert (group["apiVersion"], group["kind"]) == ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet")
    assert group["metadata"] == {
        "name": NAME,
        "namespace": "default",
        "annotations": {"pulumi.com/deletionPropagationPolicy": "foreground"},
    }
    assert (group["spec"]["replicas"], template["size"]) == (1, 2)
    for role in ("leader", "worker"):
        labels = {**LABELS, "rdma-cluster/role": role, "rdma-cluster/revision": revision}
        assert template[f"{role}Template"]["metadata"] == {"labels": labels}
    assert len(revision) == 8


def test_the_way_to_it():
    """A Service of the leader's alone, and a policy that lets others see the API and nothing else."""
    objects = plan("a4", namespace="team").objects

    assert objects.service == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": f"{NAME}-api", "namespace": "team", "annotations": {"pulumi.com/skipAwait": "true"}},
        "spec": {
            "type": "ClusterIP",
            "selector": {**LABELS, "rdma-cluster/role": "leader"},
            "ports": [{"name": "http", "port": 8000, "targetPort": 8000}],
        },
    }
    assert objects.network_policy == {
        "podSelector": {"matchLabels": LABELS},
        "policyTypes": ["Ingress"],
        "ingress": [
            {"from": [{"podSelector": {"matchLabels": LABELS}}]},
            {"ports": [{"protocol": "TCP", "port": 8000}]},
        ],
    }
