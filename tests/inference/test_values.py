"""A served model, value by value: what is just allowed beside what is just refused, and the words for each."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList, Refused, spell
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog.vllm import VERSION
from rdma_cluster.incluster.addons.inference.args import DistributedInferenceArgs
from rdma_cluster.incluster.addons.inference.parallelism import choose_pool
from rdma_cluster.incluster.addons.inference.plan import _name, plan_inference
from rdma_cluster.incluster.addons.inference.validation import _check_words
from rdma_cluster.incluster.plan.resolve import resolve
from tests.inference.pods import LLAMA, POOLS, args, container, plan

SMALL = "meta-llama/Llama-3.1-70B-Instruct"


def pool(nodes: int, **more: Any) -> dict[str, Any]:
    """Nodes of eight H100, whose GPUs a plugin hands out."""
    return {**POOLS["oke"], "nodes": nodes, "gpu_allocation": "device-plugin", **more}


def refused(**said: Any) -> list[str]:
    """Every error, as a user reads it."""
    with pytest.raises(Refused) as refusal:
        plan_from(DistributedInferenceArgs, plan_inference, args(**said))
    return [f"{spell(error.path)}: {error.reason}" for error in refusal.value.errors]


def misread(*words: str, own: bool = False) -> list[str]:
    """What is wrong with words for vllm serve, each by its place."""
    errors = ErrorList()
    _check_words([*words], errors, own_image=own)
    return [f"{spell(each.path)}: {each.reason}" for each in errors.found()]


NO_FLAG = "which no flag before it takes; write --FLAG or --FLAG=VALUE"


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ([], []),
        (["--seed", "7"], []),
        (["--seed=7"], []),
        (["--seed=7", "8"], [f"[1]: got '8', {NO_FLAG}"]),
        (["--seed", "7", "8"], [f"[2]: got '8', {NO_FLAG}"]),
        (["7", "--seed", "7"], [f"[0]: got '7', {NO_FLAG}"]),
        (["--lora-modules", "a=b", "c=d", "--seed", "7"], []),
        (["--seed"], ["[0]: --seed takes a value; write --seed=VALUE"]),
        (["--seed", "--max-num-seqs", "4"], ["[0]: --seed takes a value; write --seed=VALUE"]),
        (["--no-enable-prefix-caching"], []),
        (["--enable-prefix-caching", "7"], [f"[1]: got '7', {NO_FLAG}"]),
        (
            ["--enable-prefix-caching=true", "--seed=7"],
            ["[0]: --enable-prefix-caching takes no value; write it alone, or leave it out"],
        ),
        (["--seed", "7", "--nnodes=3"], ["[2]: --nnodes is set by this library, from nodes; remove it"]),
        (["--nnodes"], ["[0]: --nnodes is set by this library, from nodes; remove it"]),
        (["--api_key", "x"], ["[0]: --api-key is set by this library, from api_key_secret; remove it"]),
        (["--zzzzzz"], [f"[0]: vllm serve {VERSION} has no --zzzzzz; remove it"]),
    ],
)
def test_words_for_vllm(words: list[str], wrong: list[str]):
    """Each flag takes what it takes; those behind a wrong one are read all the same."""
    assert misread(*words) == wrong


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["--of-tomorrow", "7", "8"], []),
        (["--of-tomorrow=7", "8"], [f"[1]: got '8', {NO_FLAG}"]),
        (["--enable-prefix-caching=true"], []),
        (["7"], [f"[0]: got '7', {NO_FLAG}"]),
        (["--nnodes=3"], ["[0]: --nnodes is set by this library, from nodes; remove it"]),
        (["--seed", "--of-tomorrow"], ["[0]: --seed takes a value; write --seed=VALUE"]),
    ],
)
def test_words_for_an_image_of_the_users_own(words: list[str], wrong: list[str]):
    """Its flags are not known, and take what they are given; ours stay ours."""
    assert misread(*words, own=True) == wrong


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (LLAMA, "llama-3-1-405b-instruct"),
        ("a/405B", "model-405b"),
        ("a/_x_", "x"),
        ("a/B..c", "b-c"),
        (f"a/{'x' * 39}.y", "x" * 39),
        (f"a/{'x' * 41}", "x" * 40),
    ],
)
def test_the_name_of_a_model(model: str, name: str):
    """As DNS takes it: letters, digits and single dashes, a letter first, forty characters at the most."""
    assert _name(model) == name


HEADS = "has 128 attention heads, which {} GPUs do not share evenly:"


@pytest.mark.parametrize(
    ("nodes", "has", "remedy"),
    [
        (3, 3, "take nodes: 2, or split: pipeline"),
        (3, 4, "take nodes: 2 or 4, or split: pipeline"),
        (6, 9, "take nodes: 2 or 4 or 8, or split: pipeline"),
    ],
)
def test_heads_that_gpus_do_not_share(nodes: int, has: int, remedy: str):
    """With the numbers of nodes that the pool has and that do."""
    assert refused(split="tensor", nodes=nodes, pools=[pool(has)]) == [
        f"split: got 'tensor'; {LLAMA} {HEADS.format(8 * nodes)} {remedy}"
    ]
    assert plan(split="tensor", nodes=2, pools=[pool(has)]).split == "16 GPUs a layer, 1 parts one after the other"


@pytest.mark.parametrize(
    ("said", "errors"),
    [
        ({"nodes": 2}, []),
        ({"nodes": 3}, ["nodes: got 3; pool h100 has 2, raise its nodes"]),
        ({"nodes": 0}, ["nodes: got 0; must be 2 or more"]),
        ({"pools": [pool(1)], "model": SMALL}, ["nodes: 2 at the least; pool h100 has 1, raise its nodes"]),
        ({"pools": [pool(2)], "model": SMALL}, []),
        ({"max_model_len": 1}, []),
        ({"max_model_len": 0}, ["max_model_len: got 0; must be 1 or more"]),
        ({"max_model_len": 131_072}, []),
        ({"max_model_len": 131_073}, [f"max_model_len: got 131073; {LLAMA} knows 131072 tokens at the most"]),
        ({"start_minutes": 1}, []),
        ({"start_minutes": 0}, ["start_minutes: got 0; must be 1 to 10080, a week"]),
        ({"start_minutes": 10_080}, []),
        ({"start_minutes": 10_081}, ["start_minutes: got 10081; must be 1 to 10080, a week"]),
        ({"weights": {"claim": "m", "claim_gb": 812}}, []),
        (
            {"weights": {"claim": "m", "claim_gb": 811}},
            ["weights.claim_gb: got 811; the weights are 812 GB, take a larger volume"],
        ),
        (
            {"weights": {"claim": "m", "claim_gb": 811, "storage": True}},
            ["weights.storage: it holds 811 GB, and the weights are 812 GB; make it larger"],
        ),
        ({"weights": {"gb": 1}, "model": "a/b"}, []),
        ({"weights": {"gb": 0}}, ["weights.gb: got 0; must be 1 or more"]),
        ({"pools": [pool(2, disk_gb=947)]}, []),
        ({"pools": [pool(2, disk_gb=512)], "weights": {"claim": "m"}}, []),
    ],
)
def test_limits(said: dict[str, Any], errors: list[str]):
    """What just works is planned, and what just does not is refused."""
    if errors:
        assert refused(**said) == errors
    else:
        assert plan(**said)


TOKEN = "inference: pods wait for Secret hf-token with key token in namespace default"
DISK = "inference: each node downloads {} GB onto its own disk, whose size is not known"
UNKNOWN = (
    "inference: the layers of a/b are not known: that its weights fit is checked, and not the keys and values of "
    "requests"
)


@pytest.mark.parametrize(
    ("said", "warned"),
    [
        ({}, [TOKEN, DISK.format(812)]),
        ({"pools": [pool(2, disk_gb=2000)]}, [TOKEN]),
        ({"weights": {"claim": "m", "claim_gb": 900}}, []),
        (
            {"weights": {"claim": "m"}},
            ["inference: whether claim m holds 812 GB is not checked; say its size in weights.claimGb"],
        ),
        ({"weights": {"claim": "m", "storage": True}}, []),
        ({"model": "a/b", "weights": {"gb": 700}}, [UNKNOWN, DISK.format(700)]),
        (
            {"split": "tensor", "pools": [pool(2, disk_gb=2000)]},
            [
                "inference.split is tensor: every layer of every token waits twice for the fabric, where pipeline "
                "hands a token on once a node",
                TOKEN,
            ],
        ),
        (
            {"model": "a/b", "weights": {"gb": 618, "claim": "m", "claim_gb": 900}},
            [
                "inference: one node of BM.GPU.H100.8 holds a/b (618 GB of weights, against 618 GB: 1 x 8 GPUs of 80 "
                "GiB, 90% of each): a Deployment of vLLM on one node needs none of this",
                UNKNOWN,
            ],
        ),
        ({"model": "a/b", "weights": {"gb": 619, "claim": "m", "claim_gb": 900}}, [UNKNOWN]),
    ],
)
def test_what_is_warned_of(said: dict[str, Any], warned: list[str]):
    """What is not checked, what pods wait for, what costs more than it need; and nothing else."""
    assert list(plan("oke", **said).warnings) == warned


TWO = [pool(2), pool(4, name="b")]


@pytest.mark.parametrize(
    ("pools", "named", "all_planned", "chosen", "wrong"),
    [
        (TWO, "b", True, "b", []),
        (TWO, "h100", True, "h100", []),
        (TWO[1:], None, True, "b", []),
        (TWO, None, True, None, ["pool: missing; say which serves: h100, b"]),
        (TWO, "c", True, None, ["pool: got 'c'; choose one of h100, b"]),
        ([], None, True, None, ["pools: empty; list the pool that serves"]),
        (TWO[1:], None, False, None, []),
        (TWO, "c", False, None, []),
        (TWO, "b", False, "b", []),
    ],
)
def test_which_pool_serves(
    pools: list[Any], named: str | None, all_planned: bool, chosen: str | None, wrong: list[str]
):
    """The one that is named, or the only one; where some have errors of their own it may be one of these."""
    errors = ErrorList()
    said: Any = args(pools=pools, **({} if named is None else {"pool": named}))
    known = [resolve(each, errors.at("pools", i)) for i, each in enumerate(said["pools"])]
    found = choose_pool(said, known if all_planned else [*known, None], errors)

    assert (found and found.name) == chosen
    assert [f"{spell(each.path)}: {each.reason}" for each in errors.found()] == wrong


def test_an_image_of_the_users_own():
    """It stands as it is, whatever mirrors hold; the pinned one comes from its mirror."""
    mirrors = {"docker.io": "m.example/hub"}

    assert container(plan(image="mine.example/vllm:9", registries=mirrors), "leader")["image"] == "mine.example/vllm:9"
    assert container(plan(registries=mirrors), "leader")["image"] == "m.example/hub/vllm/vllm-openai:v0.28.0-cu129"
