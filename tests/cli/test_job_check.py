"""`rdma-cluster job --for any --check`: which stacks could run a job, and why others could not."""

import json

import pytest
from tests.cli.commands import command

ANYWHERE = ("--for", "any", "--nodes", "2", "--image", "my/train:1")
INJECTED = ("--set", "injection={enabled: true, engine: kyverno}")
QUEUES = ("--set", "queues={enabled: true}")
FLEX = ("--set", "pools[1]={name: flex, machine: a4-highgpu-8g, nodes: 2, capacity: {flexStart: true}}")
SHARED = ("--set", "queues={enabled: true, worker: {queues: {shared: a4}}}")
AWS_VLLM = "public.ecr.aws/deep-learning-containers/vllm:0.28.0-gpu-py312-ec2"


def test_each_stack_answers_and_one_no_decides_the_exit_code():
    """What cannot be seen from here is a note."""
    words = (*ANYWHERE, *INJECTED, "--check", "gke", "eks")
    code, out, _ = command("job", *words, "--json")
    gke, eks = json.loads(out)["stacks"]

    assert code == 0
    assert (gke["machine"], gke["fits"], eks["machine"], eks["fits"]) == ("a4-highgpu-8g", True, "p5.48xlarge", True)
    assert any("set_nccl_env.sh" in note for note in gke["notes"])
    (note,) = eks["notes"]
    assert "aws-ofi-nccl" in note and "my/train:1" in note
    code, out, _ = command("job", *words, "gce")
    assert (code, out.splitlines()[-2]) == (1, "gce: no")


@pytest.mark.parametrize(
    ("stack", "more", "words"),
    [
        ("gke", (), "injection: {enabled: true}"),
        ("gke", ("--nodes", "5", *FLEX), "5 nodes, and a4, flex have 4 together"),
        ("gke", ("--nodes", "4", *FLEX), ""),
        ("gke", ("--namespace", "team-a"), "namespace team-a gets no fabric"),
        ("gke", ("--queue", "a4"), "no queue a4"),
        ("gke", ("--queue", "a4", "--nodes", "3", *QUEUES), "24 GPUs, and queue a4 has 16"),
        ("gke", ("--queue", "shared", "--nodes", "3", *SHARED), "queue shared has 16"),
        ("oke", ("--gpus-per-node", "4"), "container main asks for 4 GPUs"),
        ("aks-gb300", ("--gpus-per-node", "4", "--image", "docker.io/vllm/vllm-openai:v0.28.0"), ""),
        ("aks-gb300", ("--gpus-per-node", "4", "--image", AWS_VLLM), "is built for amd64"),
    ],
    ids=lambda each: each if isinstance(each, str) else " ".join(each)[:40],
)
def test_a_stack_that_could_not_run_the_job_says_why(stack: str, more: tuple[str, ...], words: str):
    """Where no reason is expected the answer is yes."""
    on = () if words.startswith("injection") else INJECTED
    code, out, _ = command("job", *ANYWHERE, *on, *more, "--check", stack)

    assert (code, words in out) == (int(bool(words)), True), out


@pytest.mark.parametrize("more", [(), FLEX], ids=["one pool", "one of several pools"])
def test_a_topology_that_counts_no_claims_is_a_note(more: tuple[str, ...]):
    words = (*ANYWHERE, "--queue", "a4", *INJECTED, *QUEUES, *more, "--check", "gke")
    code, out, err = command("job", *words)

    assert (code, err, "note: queue a4 places jobs in a topology" in out) == (0, "", True)


def test_a_stack_that_is_not_there_is_wrong_input():
    assert command("job", *ANYWHERE, "--check", "nowhere")[0] == 2
