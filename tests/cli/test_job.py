"""`rdma-cluster job`: the job of whole nodes that it prints, for a machine, for a stack's pool or for any cluster."""

import json
from typing import Any

import pytest
import yaml
from tests.cli.commands import command

A4 = ("a4", "--stack", "gke", "--nodes", "2")
ANYWHERE = ("--for", "any", "--nodes", "2", "--image", "my/train:1")
QUEUES = ("--set", "queues={enabled: true}")
FLEX = ("--set", "pools[1]={name: flex, machine: a4-highgpu-8g, nodes: 2, capacity: {flexStart: true}}")
KINDS = ("job", "jobset", "mpijob", "trainjob")


def printed(*words: str) -> list[dict[str, Any]]:
    """The objects that the command prints."""
    code, out, err = command("job", *words)
    assert code == 0, err
    return list(yaml.safe_load_all(out))


def pods(found: Any) -> list[dict[str, Any]]:
    """The pod templates in it, outermost first."""
    if isinstance(found, list):
        return [pod for each in found for pod in pods(each)]
    if not isinstance(found, dict):
        return []
    own = [found] if "containers" in found.get("spec", {}) else []
    return own + [pod for each in found.values() for pod in pods(each)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_of_a_pool_has_one_pod_on_each_node(kind: str):
    """Each pod takes all devices of its node and more than half of its processors, and waits until Kueue admits it."""
    objects = printed(*A4, *QUEUES, "--kind", kind)
    text, worker = json.dumps(objects[-1]), pods(objects)[-1]

    assert [each["resourceClaimTemplateName"] for each in worker["spec"]["resourceClaims"]] == ["a4-highgpu-8g-whole"]
    resources = worker["spec"]["containers"][0]["resources"]
    assert resources == {"requests": {"cpu": "113"}, "claims": [{"name": "devices-0"}]}
    assert objects[-1]["metadata"]["labels"] == {"kueue.x-k8s.io/queue-name": "a4"}
    assert '"suspend": true' in text
    assert any(f'"{key}": 2' in text for key in ("completions", "replicas", "numNodes"))


@pytest.mark.parametrize(
    ("words", "queue", "brought"),
    [
        (A4, None, False),
        ((*A4, "--queue", "q"), "q", True),
        ((*A4, *QUEUES, "--queue", "a4"), "a4", False),
        (("flex", *A4[1:], *QUEUES, *FLEX), None, False),
        (("a4-highgpu-8g", "--nodes", "2", "--queue", "q"), "q", False),
    ],
    ids=["no queues", "a queue of one's own", "the pool's queue", "a pool without a queue", "a machine"],
)
def test_a_job_waits_only_in_a_queue(words: tuple[str, ...], queue: str | None, brought: bool):
    """A queue that the stack does not install is the user's to bring, and the command says so."""
    code, out, err = command("job", *words)
    *_, job = yaml.safe_load_all(out)

    assert code == 0 and job["metadata"].get("labels", {}).get("kueue.x-k8s.io/queue-name") == queue
    assert ("suspend" in job["spec"]) == (queue is not None)
    assert ("Kueue" in err) == brought


def test_a_machine_alone_brings_what_its_pods_name():
    """The devices of a p5 are too many for one claim, so that its pods name two templates."""
    first, second, _, job = printed("p5.48xlarge", "--nodes", "2", "--namespace", "team-a")
    (pod,) = pods(job)
    named = [each["resourceClaimTemplateName"] for each in pod["spec"]["resourceClaims"]]

    assert [first["metadata"]["name"], second["metadata"]["name"]] == named
    assert {each["metadata"]["namespace"] for each in (first, second, job)} == {"team-a"}
    assert pod["spec"]["nodeSelector"] == {"node.kubernetes.io/instance-type": "p5.48xlarge"}
    assert printed("a4-highgpu-8g", "--nodes", "2")[0]["kind"] == "DeviceClass"


@pytest.mark.parametrize(
    ("words", "rack"),
    [
        (("p6e-gb200.36xlarge", "--nodes", "18"), True),
        (("rack-1", "--stack", "gke-a4x", "--nodes", "2"), True),
        (A4, False),
    ],
    ids=["a machine", "a pool of racks", "a pool without racks"],
)
def test_pods_of_a_rack_take_a_channel_of_their_own_compute_domain(words: tuple[str, ...], rack: bool):
    found = printed(*words)
    domains = [each for each in found if each["kind"] == "ComputeDomain"]
    (pod,) = pods(found[-1])

    assert len(domains) == rack
    channels = [each["spec"]["channel"]["resourceClaimTemplate"]["name"] for each in domains]
    claims = [each for each in pod["spec"].get("resourceClaims", []) if each["name"] == "channel"]
    assert [each["resourceClaimTemplateName"] for each in claims] == channels
    assert ({"name": "channel"} in pod["spec"]["containers"][0]["resources"]["claims"]) == rack


def test_no_job_is_made_for_gpus_that_no_driver_hands_out():
    code, out, _ = command("job", "Standard_ND96isr_MI300X_v5", "--nodes", "2")

    assert code == 1 and "AMD" in out


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_for_any_cluster_names_gpus_and_no_cloud(kind: str):
    """It tells its pods how they find each other, and NCCL to log what a verdict reads."""
    worker = pods(printed(*ANYWHERE, "--kind", kind))[-1]
    (container,) = worker["spec"]["containers"]
    env = {each["name"]: each.get("value") for each in container["env"]}

    assert container["resources"] == {"limits": {"nvidia.com/gpu": "8"}}
    assert worker["metadata"]["annotations"] == {"rdma-cluster/inject": "true"}
    assert (env["NCCL_DEBUG"], env["NCCL_DEBUG_SUBSYS"]) == ("INFO", "INIT,NET")
    assert ("PET_NNODES" in env) == (kind in ("job", "jobset"))
    assert not worker["spec"]["nodeSelector"] and not worker["spec"]["volumes"]


def test_options_that_are_left_out_have_usual_values():
    """The program lists the GPUs, and the namespace is the stack's first."""
    usual, named = printed(*ANYWHERE)[-1], printed(*ANYWHERE, "--namespace", "x", "--queue", "q", "--name", "b")[-1]
    (container,) = pods(usual)[0]["spec"]["containers"]

    assert container["command"][-2:] == ["nvidia-smi", "-L"]
    assert (usual["metadata"]["name"], usual["metadata"]["namespace"]) == ("train", "default")
    assert "labels" not in usual["metadata"] and "suspend" not in usual["spec"]
    assert (named["metadata"]["name"], named["metadata"]["namespace"], named["spec"]["suspend"]) == ("b", "x", True)
    first = (*A4, "--set", "claims.namespaces=[x, y]")
    assert printed(*first)[-1]["metadata"]["namespace"] == "x"
    assert printed(*first, "--namespace", "y")[-1]["metadata"]["namespace"] == "y"


@pytest.mark.parametrize(
    ("kind", "operator"), [("job", ""), ("jobset", "JobSet"), ("mpijob", "MPI operator"), ("trainjob", "Trainer")]
)
def test_a_kind_says_which_operator_it_needs(kind: str, operator: str):
    code, out, err = command("job", *ANYWHERE, "--kind", kind)

    assert code == 0 and operator in err and bool(err) == bool(operator)
    assert json.loads(command("job", *ANYWHERE, "--kind", kind, "--json")[1]) == list(yaml.safe_load_all(out))


def test_a_stack_is_named_first_as_for_all_verbs_and_its_only_pool_is_the_default():
    """A pool before `--stack`, as 0.1.0 had it, is the same job."""
    code, *named = command("job", "gke", "a4", "--nodes", "2")
    assert code == 0
    assert (
        (code, *named)
        == command("job", "gke", "--nodes", "2")
        == command("job", "a4", "--stack", "gke", "--nodes", "2")
    )


def test_an_image_is_checked_as_injection_checks_it():
    """A known lack refuses; of what is not known the command says what it has to bring."""
    words = ("job", "eks", "--nodes", "2", "--image")
    code, out, err = command(*words, "vllm/vllm-openai:v0.11.0")
    assert (code, out) == (2, "") and err.startswith(
        "--image: got vllm/vllm-openai:v0.11.0, which holds no aws-ofi-nccl"
    )
    code, _, err = command(*words, "my/train:1")
    assert code == 0 and "has to bring aws-ofi-nccl" in err
    assert command(*words, "vllm/vllm-openai:v0.11.0", "--env", "NCCL_NET_PLUGIN=ofi")[0] == 0


def test_options_behind_run_are_told_of():
    """They go to the program, as `--run` says; few mean that."""
    code, _, err = command(
        "job", "gke", "--nodes", "2", "--run", "torchrun", "train.py", "--env", "A=B", "--epochs", "3"
    )
    assert code == 0 and err == "note: --env behind --run went to the program; write it before --run\n"
