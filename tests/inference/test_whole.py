"""All that a served model is made of, in full: its pods, the way to it, its check, and the controller's waiter."""

from typing import Any

import pytest
from rdma_cluster.catalog.images import JUDGE_PYTHON
from rdma_cluster.incluster.plan.security import unprivileged

from tests.inference.pods import LLAMA, container, plan, pod

NAME = "llama-3-1-405b-instruct"
LABELS = {"app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": NAME}
CLAIM = {"claim": "models", "claim_gb": 900}
JUDGE = f"docker.io/library/{JUDGE_PYTHON.image.rpartition('/')[2]}"
"""The image of Python in which scripts run."""
FROM_SECRET = {
    "HF_TOKEN": {"secretKeyRef": {"name": "hf-token", "key": "token"}},
    "VLLM_API_KEY": {"secretKeyRef": {"name": "mine", "key": "key"}},
    "API_KEY": {"secretKeyRef": {"name": "mine", "key": "key"}},
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


def test_the_check():
    """It may wait for the pull, the weights and the answer; its Job and `up` wait a little longer than the script."""
    made = plan("a4", api_key_secret="mine", waive=["gdr", "socket"], start_minutes=2)
    check, group = made.objects.check, made.objects.leader_worker_set["spec"]["leaderWorkerTemplate"]
    revision = group["leaderTemplate"]["metadata"]["labels"]["rdma-cluster/revision"]
    (box,) = check.job["spec"]["template"]["spec"].pop("containers")
    pods = [f"{NAME}-0", f"{NAME}-0-1"]

    assert check.account == f"{NAME}-check"
    assert check.job == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": f"{NAME}-check-{revision}",
            "namespace": "default",
            "annotations": {"pulumi.com/replaceUnready": "true"},
        },
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": 1440,
            "template": {
                "metadata": {"labels": {"app.kubernetes.io/name": "serving-check"}},
                "spec": {
                    "restartPolicy": "Never",
                    "serviceAccountName": f"{NAME}-check",
                    "enableServiceLinks": False,
                    "volumes": [
                        {"name": "files", "configMap": {"name": f"{NAME}-check"}},
                        {"name": "logs", "emptyDir": {}},
                    ],
                },
            },
        },
    }
    network = box["args"].pop(box["args"].index("--network") + 1)
    assert '"transport": "gIB"' in network and network.startswith('{"claimable": true, "link_layer"')
    assert box == {
        "name": "check",
        "image": JUDGE,
        "command": ["python3", "/acceptance/nccl/serving_check.py"],
        "args": [
            *("--namespace", "default", "--pods", *pods, "--label", f"rdma-cluster/revision={revision}"),
            *("--url", f"http://{NAME}-api.default.svc:8000", "--model", LLAMA, "--network"),
            *("--seconds", "1320", "--waive", "gdr", "--waive", "socket"),
        ],
        "env": [
            {"name": "PYTHONPATH", "value": "/acceptance"},
            {"name": "API_KEY", "valueFrom": FROM_SECRET["API_KEY"]},
        ],
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": unprivileged(),
        "volumeMounts": [{"name": "files", "mountPath": "/acceptance/nccl"}, {"name": "logs", "mountPath": "/tmp"}],
    }
    assert check.seconds == 1620
    assert check.rules == tuple(
        {"apiGroups": [""], "resources": [kind], "resourceNames": pods, "verbs": ["get"]}
        for kind in ("pods", "pods/log")
    )
    (alone,) = plan("a4").objects.check.job["spec"]["template"]["spec"]["containers"]
    assert [each["name"] for each in alone["env"]] == ["PYTHONPATH"]


def test_the_controller_and_who_waits_for_it():
    """A small controller; a script that may ask for a LeaderWorkerSet to be made, and for nothing else."""
    controller = plan("a4").controller
    assert controller is not None
    waiter, values = controller.waiter, controller.settings.values

    assert values["resources"] == {"requests": {"cpu": "100m", "memory": "128Mi"}}
    assert values["image"]["manager"]["repository"] == "registry.k8s.io/lws/lws"
    assert controller.settings.namespace == "lws-system"
    assert waiter.account == "await-lws" and set(waiter.files) == {"await_webhook.py", "kube_api.py"}
    assert waiter.rules == (
        {"apiGroups": ["leaderworkerset.x-k8s.io"], "resources": ["leaderworkersets"], "verbs": ["create"]},
    )
    assert waiter.job["metadata"]["name"] == "await-lws" and waiter.job["metadata"]["namespace"] == "lws-system"
    spec = waiter.job["spec"]["template"]["spec"]
    assert spec["containers"] == [
        {
            "name": "await",
            "image": JUDGE,
            "command": ["python3", "/acceptance/await_webhook.py", "600"],
            "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
            "securityContext": unprivileged(),
            "volumeMounts": [{"name": "files", "mountPath": "/acceptance"}],
        }
    ]
    assert spec["volumes"] == [{"name": "files", "configMap": {"name": "await-lws"}}]
    assert spec["serviceAccountName"] == "await-lws"
    assert waiter.job["spec"]["activeDeadlineSeconds"] == 1200 and waiter.seconds == 1500
    assert plan("a4", controller="existing").controller is None
    mirrored = plan("a4", registries={"registry.k8s.io": "m.example/k8s", "docker.io": "m.example/hub"}).controller
    assert mirrored is not None
    assert mirrored.settings.values["image"]["manager"]["repository"] == "m.example/k8s/lws/lws"
    (box,) = mirrored.waiter.job["spec"]["template"]["spec"]["containers"]
    assert box["image"].startswith("m.example/hub/library/python")


def test_what_a_person_reads_of_it():
    """The cut and the arithmetic, where it is served, and what is not checked."""
    made = plan("a4", namespace="team")
    sum_of = "812 GB of weights and 17 GB of keys and values of one request of 32768 tokens, against"

    assert (made.name, made.model, made.pool, made.namespace) == (NAME, LLAMA, "a4", "team")
    assert made.split == "8 GPUs a layer, 2 parts one after the other"
    assert made.memory == f"{sum_of} 2783 GB: 2 x 8 GPUs of 180 GiB, 90% of each"
    assert made.endpoint == f"http://{NAME}-api.team.svc:8000"
    assert [each.name for each in made.templates] == [f"{NAME}-a4-highgpu-8g-whole"]
    assert made.warnings == (
        f"inference: one node of a4-highgpu-8g holds {LLAMA} ({sum_of} 1391 GB: 1 x 8 GPUs of 180 GiB, 90% of each): "
        "a Deployment of vLLM on one node needs none of this",
        "inference: pods wait for Secret hf-token with key token in namespace team",
        "inference: each node downloads 812 GB onto its own disk, whose size is not known",
    )
