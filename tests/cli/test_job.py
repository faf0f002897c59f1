"""`rdma-cluster job`: what is printed is a job of whole nodes, of whichever kind."""

import json
from typing import Any

import pytest
import yaml
from tests.cli.commands import command

QUEUES = ("--set", "queues={enabled: true}")


def printed(*words: str) -> list[dict[str, Any]]:
    """The objects."""
    code, out, _ = command("job", *words)
    assert code == 0, out
    return list(yaml.safe_load_all(out))


def pods(found: Any) -> list[dict[str, Any]]:
    """The pod templates in it, outermost first."""
    if isinstance(found, list):
        return [pod for each in found for pod in pods(each)]
    if not isinstance(found, dict):
        return []
    own = [found] if "containers" in found.get("spec", {}) else []
    return own + [pod for each in found.values() for pod in pods(each)]


@pytest.mark.parametrize("kind", ["job", "jobset", "mpijob", "trainjob"])
def test_every_kind_has_one_pod_a_node(kind: str):
    """As many pods as nodes, each with the node's devices and more than half of its CPUs; held until Kueue says go."""
    objects = printed("a4", "--stack", "gke", *QUEUES, "--nodes", "2", "--kind", kind)
    text, worker = json.dumps(objects[-1]), pods(objects)[-1]

    assert worker["spec"]["resourceClaims"] == [
        {"name": "devices-0", "resourceClaimTemplateName": "a4-highgpu-8g-whole"}
    ]
    assert worker["spec"]["containers"][0]["resources"] == {
        "requests": {"cpu": "113"},
        "claims": [{"name": "devices-0"}],
    }
    assert objects[-1]["metadata"]["labels"] == {"kueue.x-k8s.io/queue-name": "a4"}
    assert '"suspend": true' in text
    assert any(f'"{key}": 2' in text for key in ("completions", "replicas", "numNodes"))


def test_near_each_other():
    """In the narrowest part of the network that holds all; where only hosts are known there is nothing to prefer."""
    preferred = "kueue.x-k8s.io/podset-preferred-topology"
    (pod,) = pods(printed("a4", "--stack", "gke", *QUEUES, "--nodes", "2"))
    spot = ("--set", "pools[0].capacity={spot: true}")
    (anywhere,) = pods(printed("a4", "--stack", "gke", *QUEUES, *spot, "--nodes", "2"))

    assert pod["metadata"]["annotations"][preferred] == "cloud.google.com/gce-topology-subblock"
    assert preferred not in anywhere["metadata"].get("annotations", {})


def test_without_queues():
    """Nothing waits, and Kueue is not spoken of."""
    _, job = printed("a4", "--stack", "gke", "--nodes", "2")

    assert "kueue" not in json.dumps(job)
    assert "suspend" not in job["spec"]


def test_a_machine_alone():
    """What the pods name comes with them: p5's devices are too many for one claim."""
    first, second, _, job = printed("p5.48xlarge", "--nodes", "2", "--namespace", "team-a")
    (pod,) = pods(job)
    named = [each["resourceClaimTemplateName"] for each in pod["spec"]["resourceClaims"]]

    assert [(each["kind"], each["metadata"]["name"]) for each in (first, second)] == [
        ("ResourceClaimTemplate", name) for name in named
    ]
    assert {each["metadata"]["namespace"] for each in (first, second, job)} == {"team-a"}
    assert pod["spec"]["nodeSelector"] == {"node.kubernetes.io/instance-type": "p5.48xlarge"}


@pytest.mark.parametrize(("kind", "first"), [("job", "train-0.train"), ("jobset", "train-node-0-0.train")])
def test_pods_find_each_other(kind: str, first: str):
    """torchrun needs no option: how many nodes there are, which this is, and where the first is it is told."""
    (pod,) = pods(printed("a4-highgpu-8g", "--nodes", "4", "--kind", kind)[-1])
    env = {each["name"]: each.get("value") or each["valueFrom"] for each in pod["spec"]["containers"][0]["env"]}

    assert env["MASTER_ADDR"] == env["PET_MASTER_ADDR"] == first
    assert (env["PET_NNODES"], env["PET_NPROC_PER_NODE"]) == ("4", "8")
    assert "job-completion-index" in env["PET_NODE_RANK"]["fieldRef"]["fieldPath"]


def test_a_rack():
    """NVLink between nodes takes a channel for each pod, which a ComputeDomain of the job's own brings."""
    found = printed("p6e-gb200.36xlarge", "--nodes", "18")
    (domain,) = [each for each in found if each["kind"] == "ComputeDomain"]
    (pod,) = pods(found[-1])
    channel = {
        "name": "channel",
        "resourceClaimTemplateName": domain["spec"]["channel"]["resourceClaimTemplate"]["name"],
    }

    assert channel in pod["spec"]["resourceClaims"]
    assert {"name": "channel"} in pod["spec"]["containers"][0]["resources"]["claims"]


def test_own_program():
    """In the user's image, behind the script that the fabric's plugin needs."""
    words = ("--image", "my/train:1", "--run", "torchrun", "--nnodes", "2", "train.py")
    (pod,) = pods(printed("a4-highgpu-8g", "--nodes", "2", *words)[-1])
    (container,) = pod["spec"]["containers"]

    assert container["image"] == "my/train:1"
    assert container["command"][-4:] == ["torchrun", "--nnodes", "2", "train.py"]
    assert "set_nccl_env.sh" in container["command"][2]


def test_a_machine_whose_gpus_nobody_claims():
    """No driver hands AMD's GPUs out by claims: the answer is no, with the reason."""
    code, out, _ = command("job", "Standard_ND96isr_MI300X_v5", "--nodes", "2")

    assert code == 1
    assert "does not serve AMD" in out


def test_a_queue_of_ones_own():
    """A stack without queues lets a job wait in somebody else's, and says whose that has to be."""
    code, out, said = command("job", "a4", "--stack", "gke", "--nodes", "2", "--queue", "team-a")

    assert (code, list(yaml.safe_load_all(out))[-1]["spec"]["suspend"]) == (0, True)
    assert said == "needs Kueue and its queue team-a, which you bring: the stack installs none\n"


ANYWHERE = ("--for", "any", "--nodes", "2", "--image", "my/train:1")
INJECTED = ("--set", "injection={enabled: true, engine: kyverno}")


@pytest.mark.parametrize("kind", ["job", "jobset", "mpijob", "trainjob"])
def test_one_file_for_any_cluster(kind: str):
    """It names GPUs and no cloud; how pods find each other, and what the judge reads in their log, is in it."""
    found = printed(*ANYWHERE, "--kind", kind)
    worker = pods(found)[-1]
    (container,) = worker["spec"]["containers"]

    assert container["resources"] == {"limits": {"nvidia.com/gpu": "8"}}
    assert worker["metadata"]["annotations"] == {"rdma-cluster/inject": "true"}
    env = {each["name"]: each.get("value") for each in container["env"]}
    assert (env["NCCL_DEBUG"], env["NCCL_DEBUG_SUBSYS"]) == ("INFO", "INIT,NET")
    assert ("PET_NNODES" in env) == (kind in ("job", "jobset"))
    assert not worker["spec"]["nodeSelector"] and not worker["spec"]["volumes"]


def test_which_stacks_could_run_it():
    """Each answers; what cannot be seen from here is a note, and one that says no is exit code 1."""
    words = (*ANYWHERE, *INJECTED, "--check", "gke", "eks")
    code, out, _ = command("job", *words, "--json")
    gke, eks = json.loads(out)["stacks"]

    assert code == 0
    assert (gke["machine"], gke["fits"], eks["machine"], eks["fits"]) == ("a4-highgpu-8g", True, "p5.48xlarge", True)
    assert eks["notes"] == ["the image has to bring aws-ofi-nccl 1.15 or later; what my/train:1 holds is not known"]
    code, out, _ = command("job", *words[:-2], "gke", *QUEUES, "--queue", "a4")
    assert (code, "queue a4 places jobs in a topology" in out) == (0, True)
    code, out, _ = command("job", *words, "gce")
    assert (code, out.splitlines()[-2]) == (1, "gce: no")


FLEX = ("--set", "pools[1]={name: flex, machine: a4-highgpu-8g, nodes: 2, capacity: {flexStart: true}}")
SHARED = ("--set", "queues={enabled: true, worker: {queues: {shared: a4}}}")


@pytest.mark.parametrize(
    ("stack", "more", "words"),
    [
        ("gke", (), "injection is off; set injection: {enabled: true}"),
        ("gke", ("--nodes", "3"), "the job asks for 3 nodes, and a4 has 2, so that it would wait for ever"),
        (
            "gke",
            ("--nodes", "5", *FLEX),
            "the job asks for 5 nodes, and a4, flex have 4 together, so that it would wait",
        ),
        ("gke", ("--nodes", "4", *FLEX), ""),
        ("gke", ("--namespace", "team-a"), "namespace team-a gets no fabric; choose from default"),
        ("gke", ("--queue", "a4"), "no queue a4: the stack installs none"),
        ("gke", ("--queue", "b4", *QUEUES), "no queue b4; its queues are a4"),
        ("gke", ("--queue", "a4", "--nodes", "3", *QUEUES), "the job asks for 24 GPUs, and queue a4 has 16"),
        ("gke", ("--queue", "shared", "--nodes", "3", *SHARED), "and queue shared has 16"),
        ("oke", ("--gpus-per-node", "4"), "container main asks for 4 GPUs, but BM.GPU.H100.8 serves 8 GPUs"),
        ("eks", ("--image", "vllm/vllm-openai:v0.28.0"), "which holds no aws-ofi-nccl"),
        ("aks-gb300", ("--gpus-per-node", "4", "--image", "docker.io/vllm/vllm-openai:v0.28.0"), ""),
    ],
)
def test_why_a_stack_could_not(stack: str, more: tuple[str, ...], words: str):
    """In the words that its refusal would have, or that its plan has; where none is expected the answer is yes."""
    on = () if words.startswith("injection") else INJECTED
    code, out, _ = command("job", *ANYWHERE, *on, *more, "--check", stack)

    assert (code, words in out) == (int(bool(words)), True), out


def test_an_image_for_another_processor():
    """That of AWS's vLLM is built for amd64 alone."""
    image = "public.ecr.aws/deep-learning-containers/vllm:0.28.0-gpu-py312-ec2"
    code, out, _ = command(
        "job", *ANYWHERE, *INJECTED, "--gpus-per-node", "4", "--image", image, "--check", "aks-gb300"
    )

    assert code == 1
    assert f"image {image} is built for amd64, and Standard_ND128isr_GB300_v6 is arm64; take another" in out


def test_a_stack_that_is_not_there():
    """Is wrong input, and no answer."""
    assert command("job", *ANYWHERE, "--check", "nowhere")[0] == 2


def test_a_pool_without_a_queue():
    """Beside one that has a queue: its jobs wait in none."""
    flex = "pools[1]={name: flex, machine: a4-highgpu-8g, nodes: 2, capacity: {flexStart: true}}"
    *_, job = printed("flex", "--stack", "gke", *QUEUES, "--set", flex, "--nodes", "2")

    assert "labels" not in job["metadata"]
    assert "suspend" not in job["spec"]
