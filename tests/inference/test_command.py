"""What the containers run, as a shell runs it: a program in vLLM's place takes its flags, and no others."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.inference.pods import LLAMA, POOLS, container, plan

STUB = Path(__file__).with_name("vllm_stub.py")
GROUP = {"LWS_GROUP_SIZE": "2", "LWS_LEADER_ADDRESS": "llama-3-1-405b-instruct-0.llama-3-1-405b-instruct.default"}
"""What the controller adds to a pod's environment (lws@060ab4d pkg/utils/pod)."""


def run(made: Any, role: str, folder: Path) -> dict[str, Any]:
    """What vLLM is told and finds in its environment, with the kubelet's part done by hand."""
    one = container(made, role)
    values = {**GROUP, "LWS_WORKER_INDEX": "0" if role == "leader" else "1"}
    env = {each["name"]: each.get("value", "a secret") for each in one["env"]}

    def expanded(word: str) -> str:
        return re.sub(r"\$(?:\$|\((\w+)\))", lambda match: {**env, **values}[match[1]] if match[1] else "$", word)

    program = folder / "vllm"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{STUB}" "$@"\n')
    program.chmod(0o755)
    sourced = folder / "set_nccl_env.sh"
    sourced.write_text("export SOURCED=yes\n")
    words = [expanded(word) for word in (*one["command"], *one["args"])]
    words = [word.replace("/usr/local/gib/scripts/set_nccl_env.sh", str(sourced)) for word in words]
    ran = subprocess.run(words, env={"PATH": f"{folder}:/usr/bin:/bin"}, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize("role", ["leader", "worker"])
def test_vllm_takes_every_flag(role: str, tmp_path: Path):
    """Eight GPUs share a layer and two nodes follow each other; the leader answers, and the worker has no port."""
    told = run(plan("oke", weights={"revision": "be673f3"}), role, tmp_path)["told"]

    assert told["model_tag"] == told["served_model_name"] == LLAMA
    assert (told["tensor_parallel_size"], told["pipeline_parallel_size"], told["nnodes"]) == ("8", "2", "2")
    assert told["node_rank"] == ("0" if role == "leader" else "1")
    assert told["master_addr"].startswith("llama-3-1-405b-instruct-0.")
    assert told["distributed_executor_backend"] == "mp"
    assert told.get("headless", False) is (role == "worker")
    assert told.get("port") == ("8000" if role == "leader" else None)
    assert told["revision"] == "be673f3"


def test_the_fabrics_script_is_sourced_first(tmp_path: Path):
    """The shell reads gIB's settings before vLLM takes its place; others have none."""
    assert run(plan("a4"), "leader", tmp_path)["sourced"] == "yes"
    assert container(plan("p5"), "leader")["command"] == ["vllm", "serve"]


@pytest.mark.parametrize("pool", POOLS)
def test_the_users_words_come_last_on_every_pool(pool: str, tmp_path: Path):
    told = run(plan(pool, vllm_args=["--max-num-seqs=64", "--no-enable-prefix-caching"]), "leader", tmp_path)["told"]

    assert told["max_num_seqs"] == "64"


@pytest.mark.parametrize("pool", ["oke", "a4"])
@pytest.mark.parametrize("word", ["$(HF_TOKEN)", "$$(HF_TOKEN)", "$$", "$HF_TOKEN", "`id`", "$(id)"])
def test_words_reach_vllm_as_they_are_written(pool: str, word: str, tmp_path: Path):
    """Kubelet puts no secret in their place, and no shell runs them."""
    told = run(plan(pool, vllm_args=[f"--max-num-seqs={word}"]), "leader", tmp_path)["told"]

    assert told["max_num_seqs"] == word
