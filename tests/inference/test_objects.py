"""The objects themselves: of the pinned definition's form, with probes that prove something, and no door too many."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from rdma_cluster.incluster.addons.inference.serving import PORT
from tests.controlplane.definitions import RECORDED, closed
from tests.inference.pods import POOLS, container, plan, pod


@pytest.mark.parametrize("pool", POOLS)
def test_a_group_is_of_the_pinned_form(pool: str):
    """Every field is one that the definition of the pinned chart has, with a value that it takes."""
    bucket = {"claim": "b", "annotations": {"a/b": "c"}, "service_account": "reader"}
    for weights in ({"token_secret": "t"}, bucket):
        group = plan(pool, api_key_secret="key", weights=weights).objects.leader_worker_set

        found = Draft202012Validator(closed(RECORDED["LeaderWorkerSet"]["spec"])).iter_errors(group["spec"])
        assert [(list(each.absolute_path), each.message) for each in found] == []
    assert group["apiVersion"] == "{group}/{version}".format(**RECORDED["LeaderWorkerSet"])


def test_one_pod_that_ends_is_the_end_of_its_group():
    """NCCL lets no rank join again; its claims are taken back before it goes."""
    template = plan().objects.leader_worker_set["spec"]["leaderWorkerTemplate"]

    assert template["restartPolicy"] == "RecreateGroupOnPodRestart"
    annotations = plan().objects.leader_worker_set["metadata"]["annotations"]
    assert annotations == {"pulumi.com/deletionPropagationPolicy": "foreground"}


def test_probes_prove_that_the_model_is_served():
    """The leader is asked over HTTP; a worker has no port, and must reach the leader. It may load for an hour."""
    leader, worker = (container(plan(), role) for role in ("leader", "worker"))

    assert leader["readinessProbe"]["httpGet"] == {"path": "/health", "port": PORT}
    (dial,) = worker["livenessProbe"]["exec"]["command"][2:]
    assert "/dev/tcp/$LWS_LEADER_ADDRESS/29501" in dial
    assert worker["args"][worker["args"].index("--master-port") + 1] == "29501"
    for one in (leader, worker):
        assert one["startupProbe"]["failureThreshold"] * one["startupProbe"]["periodSeconds"] == 3600
        assert one["livenessProbe"]["failureThreshold"] * one["livenessProbe"]["periodSeconds"] == 60


def test_the_service_finds_the_leader_alone():
    """It is inside the cluster, under a name that the controller's own Service does not take."""
    made = plan()
    service = made.objects.service
    group = made.objects.leader_worker_set["spec"]["leaderWorkerTemplate"]

    assert service["spec"]["type"] == "ClusterIP"
    assert service["metadata"]["name"] != made.name
    labels = {role: group[f"{role}Template"]["metadata"]["labels"].items() for role in ("leader", "worker")}
    assert service["spec"]["selector"].items() <= labels["leader"]
    assert not service["spec"]["selector"].items() <= labels["worker"]
    assert made.endpoint == f"http://{service['metadata']['name']}.default.svc:8000"


def test_only_the_api_is_open_to_others():
    """vLLM trusts blindly what its nodes say to each other."""
    among, others = plan().objects.network_policy["ingress"]

    assert others == {"ports": [{"protocol": "TCP", "port": PORT}]}
    assert set(among) == {"from"}


def test_weights_of_a_claim_are_only_read():
    """They lie in their folder; what is downloaded asks the scheduler for the room."""
    made = plan(weights={"claim": "models", "claim_gb": 900, "path": "llama/405b"})
    mine, theirs = container(made, "worker"), container(plan(), "worker")

    assert mine["args"][0] == "/weights/llama/405b"
    assert {"name": "weights", "mountPath": "/weights", "readOnly": True} in mine["volumeMounts"]
    assert pod(made, "worker")["volumes"][-1]["persistentVolumeClaim"] == {"claimName": "models", "readOnly": True}
    assert theirs["resources"]["requests"]["ephemeral-storage"] == "812G"


def test_pods_of_a_bucket_have_its_annotations_and_account():
    bucket = {"claim": "b", "annotations": {"gke-gcsfuse/volumes": "true"}, "service_account": "reader"}
    made = plan("a4", weights=bucket)
    group = made.objects.leader_worker_set["spec"]["leaderWorkerTemplate"]

    for role in ("leader", "worker"):
        assert group[f"{role}Template"]["metadata"]["annotations"] == {"gke-gcsfuse/volumes": "true"}
        assert pod(made, role)["serviceAccountName"] == "reader"


def test_each_variable_stands_once():
    """The fabric's own settings win over ours."""
    for pool in POOLS:
        names = [each["name"] for each in container(plan(pool), "leader")["env"]]
        assert len(names) == len(set(names))
        assert "NCCL_DEBUG" in names


def test_pods_in_the_hosts_network_name_no_interface():
    """It is not known there what the interface is called."""
    on_host = {each["name"] for each in container(plan("oke"), "leader")["env"]}
    in_pod = {each["name"] for each in container(plan("a4"), "leader")["env"]}

    assert "GLOO_SOCKET_IFNAME" in in_pod - on_host
    assert pod(plan("oke"), "leader")["dnsPolicy"] == "ClusterFirstWithHostNet"


def test_another_set_is_checked_anew():
    """The check's name, and the label that it looks for, change with anything of the set."""
    one, other = plan(), plan(vllm_args=["--seed=7"])

    for made in (one, other):
        labels = made.objects.leader_worker_set["spec"]["leaderWorkerTemplate"]["leaderTemplate"]["metadata"]["labels"]
        job = made.objects.check.job
        assert job["metadata"]["name"].endswith(labels["rdma-cluster/revision"])
        assert (
            f"rdma-cluster/revision={labels['rdma-cluster/revision']}"
            in job["spec"]["template"]["spec"]["containers"][0]["args"]
        )
    assert one.objects.check.job["metadata"]["name"] != other.objects.check.job["metadata"]["name"]


def test_the_check_may_read_its_own_pods_alone():
    """The rule names them, since the namespace is the user's."""
    made = plan()

    for rule in made.objects.check.rules:
        assert rule["resourceNames"] == [f"{made.name}-0", f"{made.name}-0-1"]
        assert rule["verbs"] == ["get"]


@pytest.mark.parametrize(
    ("said", "secret"),
    [
        ({}, "hf-token"),
        ({"weights": {"token_secret": "mine"}}, "mine"),
        ({"model": "a/b", "weights": {"gb": 900}}, ""),
        ({"model": "a/b", "weights": {"gb": 900, "token_secret": "mine"}}, "mine"),
        ({"weights": {"claim": "w", "claim_gb": 900}}, ""),
    ],
)
def test_a_token_is_named_where_a_download_needs_one(said: dict[str, Any], secret: str):
    """It is a Secret's, and never stands in an object."""
    tokens = [each["valueFrom"] for each in container(plan(**said), "leader")["env"] if each["name"] == "HF_TOKEN"]

    assert tokens == ([{"secretKeyRef": {"name": secret, "key": "token"}}] if secret else [])


def test_the_key_of_callers_is_named_and_never_held():
    made = plan(api_key_secret="mine")
    (check,) = made.objects.check.job["spec"]["template"]["spec"]["containers"]
    env = {each["name"]: each for each in container(made, "leader")["env"]}
    key = {"secretKeyRef": {"name": "mine", "key": "key"}}

    assert env["VLLM_API_KEY"]["valueFrom"] == key
    assert check["env"] == [{"name": "API_KEY", "valueFrom": key}]


def test_the_check_gives_up_before_those_who_wait_for_it():
    """The script has time for the pull, the weights and the answer; its Job and `up` wait a little longer."""
    made = plan(start_minutes=2, waive=["gdr", "socket"])
    job = made.objects.check.job["spec"]
    (box,) = job["template"]["spec"]["containers"]
    seconds = int(box["args"][box["args"].index("--seconds") + 1])
    words = container(made, "leader")["args"]

    assert 120 + 900 < seconds < job["activeDeadlineSeconds"] < made.objects.check.seconds
    assert job["backoffLimit"] == 0
    assert box["args"][-4:] == ["--waive", "gdr", "--waive", "socket"]
    assert words[words.index("--distributed-timeout-seconds") + 1] == "120"


def test_who_waits_for_the_controller_may_ask_for_a_group_and_nothing_else():
    controller = plan().controller
    assert controller is not None
    waiter = controller.waiter
    (box,) = waiter.job["spec"]["template"]["spec"]["containers"]

    assert [(rule["resources"], rule["verbs"]) for rule in waiter.rules] == [(["leaderworkersets"], ["create"])]
    assert box["command"][2:] == ["await-webhook", "600"]
    assert 600 < waiter.job["spec"]["activeDeadlineSeconds"] < waiter.seconds
