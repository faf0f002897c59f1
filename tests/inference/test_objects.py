"""The objects themselves: of the pinned definition's form, with probes that prove something, and no door too many."""

import pytest
from jsonschema import Draft202012Validator
from rdma_cluster.incluster.addons.inference.serving import PORT
from tests.controlplane.definitions import RECORDED, closed
from tests.inference.pods import POOLS, container, plan, pod


@pytest.mark.parametrize("pool", POOLS)
def test_group_is_of_the_pinned_form(pool: str):
    """Every field is one that the definition of the pinned chart has, with a value that it takes."""
    bucket = {"claim": "b", "annotations": {"a/b": "c"}, "service_account": "reader"}
    for weights in ({"token_secret": "t"}, bucket):
        group = plan(pool, api_key_secret="key", weights=weights).objects.leader_worker_set

        found = Draft202012Validator(closed(RECORDED["LeaderWorkerSet"]["spec"])).iter_errors(group["spec"])
        assert [(list(each.absolute_path), each.message) for each in found] == []
    assert group["apiVersion"] == "{group}/{version}".format(**RECORDED["LeaderWorkerSet"])


def test_one_end_is_the_end_of_the_group():
    """NCCL lets nobody back in."""
    template = plan().objects.leader_worker_set["spec"]["leaderWorkerTemplate"]

    assert template["restartPolicy"] == "RecreateGroupOnPodRestart"


def test_probes():
    """The leader is asked over HTTP; a worker has no port, and must be able to meet the leader. Loading has an hour."""
    leader, worker = (container(plan(), role) for role in ("leader", "worker"))

    assert leader["readinessProbe"]["httpGet"] == {"path": "/health", "port": PORT}
    (dial,) = worker["livenessProbe"]["exec"]["command"][2:]
    assert "/dev/tcp/$LWS_LEADER_ADDRESS/29501" in dial
    assert worker["args"][worker["args"].index("--master-port") + 1] == "29501"
    for one in (leader, worker):
        assert one["startupProbe"]["failureThreshold"] * one["startupProbe"]["periodSeconds"] == 3600


def test_service_finds_the_leader_alone():
    """Inside the cluster, under a name that the controller's own Service does not take."""
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
    """What vLLM's nodes say to each other is trusted blindly."""
    among, others = plan().objects.network_policy["ingress"]

    assert others == {"ports": [{"protocol": "TCP", "port": PORT}]}
    assert set(among) == {"from"}


def test_secrets_are_named_and_never_held():
    """A gated model's token, and a key for callers; neither stands in an object, and a volume needs no token."""
    env = {each["name"]: each for each in container(plan(api_key_secret="mine"), "leader")["env"]}
    offline = [each["name"] for each in container(plan(weights={"claim": "w", "claim_gb": 900}), "leader")["env"]]

    assert env["HF_TOKEN"]["valueFrom"] == {"secretKeyRef": {"name": "hf-token", "key": "token"}}
    assert env["VLLM_API_KEY"]["valueFrom"] == {"secretKeyRef": {"name": "mine", "key": "key"}}
    assert "HF_TOKEN" not in offline


def test_weights_of_a_claim_are_read_alone():
    """From their folder in it; what is downloaded asks the scheduler for the room."""
    made = plan(weights={"claim": "models", "claim_gb": 900, "path": "llama/405b"})
    mine, theirs = container(made, "worker"), container(plan(), "worker")

    assert mine["args"][0] == "/weights/llama/405b"
    assert {"name": "weights", "mountPath": "/weights", "readOnly": True} in mine["volumeMounts"]
    assert pod(made, "worker")["volumes"][-1]["persistentVolumeClaim"] == {"claimName": "models", "readOnly": True}
    assert theirs["resources"]["requests"]["ephemeral-storage"] == "812G"


def test_bucket_behind_a_claim():
    """What its driver asks of pods, and the account that may read it, on every pod."""
    bucket = {"claim": "b", "annotations": {"gke-gcsfuse/volumes": "true"}, "service_account": "reader"}
    made = plan("a4", weights=bucket)
    group = made.objects.leader_worker_set["spec"]["leaderWorkerTemplate"]

    for role in ("leader", "worker"):
        assert group[f"{role}Template"]["metadata"]["annotations"] == {"gke-gcsfuse/volumes": "true"}
        assert pod(made, role)["serviceAccountName"] == "reader"


def test_variables_stand_once():
    """The fabric's own settings win over ours."""
    for pool in POOLS:
        names = [each["name"] for each in container(plan(pool), "leader")["env"]]
        assert len(names) == len(set(names))
        assert "NCCL_DEBUG" in names


def test_host_network_has_no_interface_of_a_pod():
    """There nobody knows what it is called."""
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
    """By name: the namespace is the user's."""
    made = plan()

    for rule in made.objects.check.rules:
        assert rule["resourceNames"] == [f"{made.name}-0", f"{made.name}-0-1"]
        assert rule["verbs"] == ["get"]
