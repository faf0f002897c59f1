"""What is just allowed of a served model beside what is just refused."""

from typing import Any

import pytest
from tests.inference.pods import LLAMA, POOLS, container, h100, plan, reasons, refused

SMALL = "meta-llama/Llama-3.1-70B-Instruct"
CLAIM = {"claim": "m", "claim_gb": 812}


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ({"nodes": 2}, None),
        ({"nodes": 3}, "nodes"),
        ({"nodes": 1}, "nodes"),
        ({"nodes": 0}, "nodes"),
        ({"pools": [h100(2)], "model": SMALL}, None),
        ({"pools": [h100(1)], "model": SMALL}, "nodes"),
        ({"max_model_len": 1}, None),
        ({"max_model_len": 0}, "max_model_len"),
        ({"max_model_len": 131_072}, None),
        ({"max_model_len": 131_073}, "max_model_len"),
        ({"start_minutes": 1}, None),
        ({"start_minutes": 0}, "start_minutes"),
        ({"start_minutes": 10_080}, None),
        ({"start_minutes": 10_081}, "start_minutes"),
        ({"weights": CLAIM}, None),
        ({"weights": {**CLAIM, "claim_gb": 811}}, "weights.claim_gb"),
        ({"weights": {**CLAIM, "claim_gb": 811, "storage": True}}, "weights.storage"),
        ({"weights": {"gb": 1}, "model": "a/b"}, None),
        ({"weights": {"gb": 0}}, "weights.gb"),
        ({"model": "a/b"}, "weights.gb"),
        ({"weights": {"path": "a"}}, "weights.path"),
        ({"weights": {**CLAIM, "path": "/a"}}, "weights.path"),
        ({"weights": {**CLAIM, "path": "a/../b"}}, "weights.path"),
        ({"weights": {**CLAIM, "revision": "main"}}, "weights.revision"),
        ({"pools": [h100(disk_gb=947)]}, None),
        ({"pools": [h100(disk_gb=946)]}, "weights"),
        ({"pools": [h100(disk_gb=512)], "weights": {"claim": "m"}}, None),
        ({"namespace": "gpu-operator"}, "namespace"),
        ({"waive": ["gdr"]}, None),
        ({"waive": ["x"]}, "waive[0]"),
        ({"split": "tensor"}, None),
        ({"split": "tensor", "nodes": 3, "pools": [h100(4)]}, "split"),
    ],
)
def test_a_value_is_allowed_up_to_its_limit(said: dict[str, Any], place: str | None):
    assert refused(**said) == ([] if place is None else [place])


def test_too_few_gpus_are_refused_with_the_arithmetic():
    """The reason says how many nodes hold the model, and whether the pool has them."""
    said = reasons(model="a/b", weights={"gb": 1300}, nodes=2)
    short = reasons(model="a/b", weights={"gb": 1300})

    assert all(each in said for each in ("1300 GB", "1236 GB", "2 x 8 GPUs of 80 GiB", "3 nodes"))
    assert "pool h100 has 2" in short and "pool h100" not in said


@pytest.mark.parametrize(
    ("nodes", "has", "remedy"),
    [(3, 3, "take nodes: 2, or"), (3, 4, "take nodes: 2 or 4, or"), (6, 9, "take nodes: 2 or 4 or 8, or")],
)
def test_heads_that_gpus_do_not_share_evenly_are_refused(nodes: int, has: int, remedy: str):
    """The reason lists the numbers of nodes that the pool has and that do."""
    said = reasons(split="tensor", nodes=nodes, pools=[h100(has)])

    assert "128 attention heads" in said and f"{8 * nodes} GPUs" in said and remedy in said


@pytest.mark.parametrize(
    ("words", "own", "wrong"),
    [
        (["--seed", "7"], False, {}),
        (["--max_num_seqs=64", "--no-enable-prefix-caching"], False, {}),
        (["--speculative-config.method", "ngram"], False, {}),
        (["--lora-modules", "a=b", "c=d", "--seed", "7"], False, {}),
        (["--seed=7", "8"], False, {1: "no flag before it takes"}),
        (["--seed", "7", "8"], False, {2: "no flag before it takes"}),
        (["7", "--seed", "7"], False, {0: "no flag before it takes"}),
        (["--seed"], False, {0: "--seed=VALUE"}),
        (["--seed", "--max-num-seqs", "4"], False, {0: "--seed=VALUE"}),
        (["--enable-prefix-caching", "7"], False, {1: "no flag before it takes"}),
        (["--enable-prefix-caching=true", "--seed=7"], False, {0: "takes no value"}),
        (["--seed", "7", "--nnodes=3"], False, {2: "from nodes"}),
        (["--api_key", "x"], False, {0: "from api_key_secret"}),
        (["--max_num_sequences=4"], False, {0: "nearest are --max-num-seqs"}),
        (["--zzzzzz"], False, {0: "no --zzzzzz; remove it"}),
        (["--of-tomorrow", "7", "8"], True, {}),
        (["--of-tomorrow=7", "8"], True, {1: "no flag before it takes"}),
        (["--enable-prefix-caching=true"], True, {}),
        (["--nnodes=3"], True, {0: "from nodes"}),
        (["--seed", "--of-tomorrow"], True, {0: "--seed=VALUE"}),
    ],
)
def test_a_word_for_vllm_is_let_through_or_refused_at_its_place(words: list[str], own: bool, wrong: dict[int, str]):
    """The flags of an image of the user's own are not known; those that are set here stay ours."""
    said: dict[str, Any] = {"vllm_args": words, **({"image": "mine.example/vllm:9"} if own else {})}

    assert refused(**said) == [f"vllm_args[{i}]" for i in wrong]
    assert all(reason in reasons(**said) for reason in wrong.values())
    if not wrong:
        assert container(plan(**said), "leader")["args"][-len(words) :] == words


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (LLAMA, "llama-3-1-405b-instruct"),
        ("a/405B", "model-405b"),
        ("a/B..c-", "b-c"),
        (f"a/{'x' * 39}.y", "x" * 39),
        (f"a/{'x' * 41}", "x" * 40),
    ],
)
def test_a_models_name_becomes_one_that_dns_takes(model: str, name: str):
    """It has letters, digits and single dashes, a letter first, and forty characters at the most."""
    assert plan(model=model, weights={"gb": 900}).name == name


TWO = [h100(2), h100(4, name="b")]
UNKNOWN = {"name": "c", "machine": "a4-highgpu-9g", "nodes": 2, "fabric": "gib"}


@pytest.mark.parametrize(
    ("pools", "named", "places"),
    [
        (TWO, {"pool": "b"}, []),
        (TWO[1:], {}, []),
        (TWO, {}, ["pool"]),
        (TWO, {"pool": "c"}, ["pool"]),
        ([], {}, ["pools"]),
        # A pool with an error of its own may be the one that is meant.
        ([*TWO[1:], UNKNOWN], {}, ["pools[1].machine"]),
        ([*TWO, UNKNOWN], {"pool": "c"}, ["pools[2].machine"]),
        ([{**POOLS["a4"], "fabric": "efa"}], {}, ["pools[0].fabric"]),
        ([{"name": "a", "machine": "a3-highgpu-8g", "nodes": 4, "fabric": "tcpx"}], {}, ["image"]),
        ([{"name": "a", "machine": "Standard_ND128isr_GB300_v6", "nodes": 9, "fabric": "infiniband"}], {}, ["pool"]),
    ],
)
def test_the_pool_that_serves_is_named_or_the_only_one(pools: list[Any], named: dict[str, str], places: list[str]):
    """It needs an image that speaks its fabric, and no NVLink between nodes."""
    assert refused(pools=pools, **named) == places
    if not places:
        assert plan(pools=pools, **named).pool == "b"
