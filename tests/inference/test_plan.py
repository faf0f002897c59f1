"""What a user gets who names a model, and what cannot work."""

import json
from typing import Any

import pytest
from pulumi_offline.errors import Refused, spell
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog import machines
from rdma_cluster.catalog.machine import Machine
from rdma_cluster.fabrics import FABRICS, GpuAllocation
from rdma_cluster.incluster.addons.inference.args import DistributedInferenceArgs
from rdma_cluster.incluster.addons.inference.plan import plan_inference
from tests.inference.pods import LLAMA, POOLS, args, container, plan, pod


def refused(**said: Any) -> list[str]:
    """Every error of some args, as a user reads it."""
    with pytest.raises(Refused) as refusal:
        plan_from(DistributedInferenceArgs, plan_inference, args(**said))
    return [f"{spell(error.path)}: {error.reason}" for error in refusal.value.errors]


@pytest.mark.parametrize(
    ("pool", "image", "transport"),
    [
        ("oke", "vllm/vllm-openai:v0.28.0-cu129", "RoCE"),
        ("a3-ultra", "vllm/vllm-openai:v0.28.0-cu129", "gIB"),
        ("a4", "vllm/vllm-openai:v0.28.0-cu129", "gIB"),
        ("p5", "deep-learning-containers/vllm:0.28.0-gpu-py312-ec2", "EFA"),
        ("aks", "vllm/vllm-openai:v0.28.0", "InfiniBand"),
    ],
)
def test_the_model_alone_is_enough(pool: str, image: str, transport: str):
    """On every pool of the seed: two nodes, the image that speaks its fabric, the transport that is judged."""
    made = plan(pool)

    assert made.objects.leader_worker_set["spec"]["leaderWorkerTemplate"]["size"] == 2
    assert container(made, "leader")["image"].endswith(image)
    check = made.objects.check.job["spec"]["template"]["spec"]["containers"][0]["args"]
    assert json.loads(check[check.index("--network") + 1])["transport"] == transport
    assert made.name == "llama-3-1-405b-instruct"


@pytest.mark.parametrize("pool", POOLS)
def test_each_pod_has_a_whole_node(pool: str):
    """By claims of the namespace, or by what device plugins and the host's network hand out; never two on one node."""
    made = plan(pool)

    for role in ("leader", "worker"):
        spec, resources = pod(made, role), container(made, role)["resources"]
        named = [each["resourceClaimTemplateName"] for each in spec.get("resourceClaims", [])]
        assert named == [template.name for template in made.templates]
        assert len(resources.get("claims", [])) == len(named)
        assert named or resources["limits"]["nvidia.com/gpu"] == "8"
        assert spec["affinity"]["podAntiAffinity"]
        assert spec["nodeSelector"] == {"pool": POOLS[pool]["name"]}


def test_one_node_that_holds_it_is_said():
    """An H200 node holds 405B: two are served, and the user is told that none of this is needed."""
    assert any("needs none of this" in each for each in plan("a3-ultra").warnings)
    assert not any("needs none of this" in each for each in plan("oke").warnings)


def test_nodes_follow_from_the_model():
    """Three nodes' worth takes three, and a small one two, below which there is no fabric."""
    three = {**POOLS["oke"], "nodes": 3, "gpu_allocation": "device-plugin"}

    made = plan(model="a/b", weights={"gb": 1500}, pools=[three])
    assert made.objects.leader_worker_set["spec"]["leaderWorkerTemplate"]["size"] == 3

    small = plan(model="meta-llama/Llama-3.1-70B-Instruct", pools=[three])
    assert small.objects.leader_worker_set["spec"]["leaderWorkerTemplate"]["size"] == 2


def test_gpus_that_cannot_hold_it():
    """With the arithmetic, and the number that can."""
    assert refused(model="a/b", weights={"gb": 1300}, nodes=2) == [
        "nodes: got 2; a/b takes 1300 GB of weights, against 1236 GB: 2 x 8 GPUs of 80 GiB, 90% of each; it takes 3 "
        "nodes"
    ]
    assert refused(model="a/b", weights={"gb": 1300}) == [
        "nodes: a/b takes 1300 GB of weights, against 1236 GB: 2 x 8 GPUs of 80 GiB, 90% of each; it takes 3 nodes, "
        "and pool h100 has 2, raise its nodes"
    ]


def test_one_node_is_refused():
    """There a Deployment is all it takes."""
    (error,) = refused(nodes=1)

    assert error.startswith("nodes: got 1; a model on one node needs none of this")


def test_disk_and_volume_that_cannot_hold_it():
    """Oracle's sample gives 500 GB to 812."""
    small = {**POOLS["oke"], "gpu_allocation": "device-plugin", "disk_gb": 512}

    (disk,) = refused(pools=[small])
    assert disk.startswith("weights: each node of h100 downloads 812 GB, and of its disk of 512 GB 420 GB are for it")
    assert refused(weights={"claim": "models", "claim_gb": 500}) == [
        "weights.claim_gb: got 500; the weights are 812 GB, take a larger volume"
    ]
    assert plan(weights={"claim": "models", "claim_gb": 900}, pools=[small])


def test_a_model_of_unknown_size():
    """Nothing is guessed: the user adds it up."""
    assert refused(model="a/b") == [
        "weights.gb: missing; the size of a/b is not known here: add up its *.safetensors on Hugging Face"
    ]
    assert any("layers of a/b are not known" in each for each in plan(model="a/b", weights={"gb": 900}).warnings)


def test_all_errors_at_once():
    """One hides no other."""
    errors = refused(
        model="x",
        pool="other",
        namespace="A",
        weights={"gb": 0, "path": "/p", "claim_gb": 5},
        max_model_len=0,
        vllm_args=["--no-such", "7"],
        start_minutes=0,
    )

    assert sorted(error.partition(": ")[0] for error in errors) == sorted(
        [
            *("model", "pool", "namespace", "weights.gb", "weights.path", "weights.path", "weights.claim_gb"),
            *("max_model_len", "vllm_args[0]", "vllm_args[1]", "start_minutes"),
        ]
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--tensor-parallel-size=4"], "set by this library, from split"),
        (["--max_num_sequences=4"], "nearest are --max-num-seqs"),
        (["--seed"], "takes a value"),
        (["--headless"], "from nodes"),
        (["--api-key", "x"], "from api_key_secret"),
    ],
)
def test_words_that_vllm_does_not_take(words: list[str], says: str):
    """Misspelt ones, and those that are decided here."""
    assert any(says in error for error in refused(vllm_args=words))


def test_words_that_it_takes():
    """With a value, without, negated, in underscores, with parts of a JSON value."""
    words = ["--max_num_seqs=64", "--seed", "7", "--no-enable-prefix-caching", "--speculative-config.method", "ngram"]

    assert container(plan(vllm_args=words), "leader")["args"][-len(words) :] == words
    assert container(plan(vllm_args=["--of-tomorrow"], image="mine.example/vllm:9"), "leader")


@pytest.mark.parametrize(
    ("pool", "says"),
    [
        ({"name": "a", "machine": "a3-highgpu-8g", "nodes": 4, "fabric": "tcpx"}, "image: missing; of vLLM's images"),
        (
            {"name": "a", "machine": "Standard_ND128isr_GB300_v6", "nodes": 9, "fabric": "infiniband"},
            "takes a ComputeDomain",
        ),
        ({"name": "a", "machine": "a4-highgpu-9g", "nodes": 2, "fabric": "gib"}, "unknown machine 'a4-highgpu-9g'"),
        ({"name": "a", "machine": "a4-highgpu-8g", "nodes": 2, "fabric": "efa"}, "choose one of gib"),
    ],
)
def test_pools_that_cannot_serve(pool: dict, says: str):
    """No image is known, NVLink between nodes, and what does not exist."""
    errors = refused(pools=[pool])
    assert any(says in error for error in errors)
    assert all(error.startswith(("pools[0]", "image", "pool:")) for error in errors), errors


@pytest.mark.parametrize("machine", [each for each in machines() if each.gpu], ids=lambda machine: machine.name)
def test_every_machine_serves_or_is_refused(machine: Machine):
    """By each of its fabrics, with GPUs by claims and by a plugin: there is a plan or a list of errors."""
    for fabric in (each for each in FABRICS.values() if each.is_for(machine)):
        for allocation in GpuAllocation:
            pool = {"name": "a", "machine": machine.name, "nodes": 90, "fabric": fabric.name}
            said = args(pools=[{**pool, "gpu_allocation": allocation}])
            try:
                made = plan_from(DistributedInferenceArgs, plan_inference, said)
            except Refused as refusal:
                assert refusal.errors
            else:
                assert len(container(made, "leader")["args"]) > 10


def test_which_pool():
    """The only one, or the one that is named; of several nobody guesses."""
    two = [{**POOLS["oke"], "gpu_allocation": "device-plugin"}, {**POOLS["oke"], "name": "b", "nodes": 4}]

    assert refused(pools=two) == ["pool: missing; say which serves: h100, b"]
    assert plan(pools=two, pool="h100").pool == "h100"


def test_tensor_over_nodes_is_warned_of_and_cut_evenly():
    """16 GPUs a layer; three nodes' 24 do not share 128 heads."""
    made = plan(split="tensor")
    words = container(made, "leader")["args"]

    assert words[words.index("--tensor-parallel-size") + 1] == "16"
    assert words[words.index("--pipeline-parallel-size") + 1] == "1"
    assert any("inference.split is tensor" in each for each in made.warnings)
    pools = [{**POOLS["oke"], "nodes": 3, "gpu_allocation": "device-plugin"}]
    assert refused(split="tensor", nodes=3, pools=pools) == [
        f"split: got 'tensor'; {LLAMA} has 128 attention heads, which 24 GPUs do not share evenly: take nodes: 2, or "
        "split: pipeline"
    ]
