"""Who says that a served model is ready: its check, who waits for the controller, and what a person reads of it."""

from rdma_agent.payload import payload
from rdma_cluster.catalog.images import JUDGE_PYTHON
from rdma_cluster.incluster.plan.security import unprivileged
from tests.inference.pods import LLAMA, plan

NAME = "llama-3-1-405b-instruct"
JUDGE = f"docker.io/library/{JUDGE_PYTHON.image.rpartition('/')[2]}"
"""The image of Python in which scripts run."""
OF_CALLERS = {"name": "API_KEY", "valueFrom": {"secretKeyRef": {"name": "mine", "key": "key"}}}


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
        "command": ["python3", "/opt/rdma-cluster/run.py", "check-serving"],
        "args": [
            *("--namespace", "default", "--pods", *pods, "--label", f"rdma-cluster/revision={revision}"),
            *("--url", f"http://{NAME}-api.default.svc:8000", "--model", LLAMA, "--network"),
            *("--seconds", "1320", "--waive", "gdr", "--waive", "socket"),
        ],
        "env": [OF_CALLERS],
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": unprivileged(),
        "volumeMounts": [{"name": "files", "mountPath": "/opt/rdma-cluster"}, {"name": "logs", "mountPath": "/tmp"}],
    }
    assert check.seconds == 1620
    assert check.rules == tuple(
        {"apiGroups": [""], "resources": [kind], "resourceNames": pods, "verbs": ["get"]}
        for kind in ("pods", "pods/log")
    )
    (alone,) = plan("a4").objects.check.job["spec"]["template"]["spec"]["containers"]
    assert "env" not in alone


def test_the_controller_and_who_waits_for_it():
    """A small controller; a script that may ask for a LeaderWorkerSet to be made, and for nothing else."""
    controller = plan("a4").controller
    assert controller is not None
    waiter, values = controller.waiter, controller.settings.values

    assert values["resources"] == {"requests": {"cpu": "100m", "memory": "128Mi"}}
    assert values["image"]["manager"]["repository"] == "registry.k8s.io/lws/lws"
    assert controller.settings.namespace == "lws-system"
    assert waiter.account == "await-lws" and waiter.files == payload("rdma_agent")
    assert waiter.rules == (
        {"apiGroups": ["leaderworkerset.x-k8s.io"], "resources": ["leaderworkersets"], "verbs": ["create"]},
    )
    assert waiter.job["metadata"]["name"] == "await-lws" and waiter.job["metadata"]["namespace"] == "lws-system"
    spec = waiter.job["spec"]["template"]["spec"]
    assert spec["containers"] == [
        {
            "name": "await",
            "image": JUDGE,
            "command": ["python3", "/opt/rdma-cluster/run.py", "await-webhook", "600"],
            "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
            "securityContext": unprivileged(),
            "volumeMounts": [{"name": "files", "mountPath": "/opt/rdma-cluster"}],
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
