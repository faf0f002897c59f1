"""Texts that nothing refuses come unchanged through bash, Kubernetes' expansion of variables and CEL."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cel_expr_python import cel
from hypothesis import example, given, strategies as st
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.plan.security import verbatim
from rdma_cluster.injection.expressions import literal
from rdma_cluster.oke.plan.cloud_init import FOLDER, FirstBoot, check_arguments, cloud_config
from tests.cli.commands import command
from tests.stacks import graph_of

HOSTILE = ("$(HF_TOKEN)", "$$(HF_TOKEN)", "`id`", "'", '"', "\n", "${HF_TOKEN}", "$HF_TOKEN", "\\", ";id", "a b")
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40) | st.text(
    "$()ab", max_size=9
)
"""No YAML holds a lone surrogate or NUL."""


def expanded(word: str, variables: dict[str, str]) -> str:
    """A word of a container's command as kubelet passes it on (kubernetes.io/docs, `Use environment variables`)."""
    return re.sub(
        r"\$(\$|\(([^)]*)\))", lambda match: "$" if match[1] == "$" else variables.get(match[2], match[0]), word
    )


@given(TEXT)
@example("$$(HF_TOKEN)")
@example("$$$(a)")
def test_kubernetes_expands_no_word_of_ours(word: str):
    assert expanded(verbatim(word), {"HF_TOKEN": "secret", "a": "b", "": "c"}) == word


def words_of(container: dict[str, Any], variables: dict[str, str], folder: Path) -> list[str]:
    """The words that the last program of a container gets from bash."""
    words = [expanded(each, variables) for each in (*container.get("command", ()), *container.get("args", ()))]
    for name in ("vllm", "torchrun"):
        (folder / name).write_text('#!/bin/sh\nfor word; do printf "%s\\0" "$word"; done\n')
        (folder / name).chmod(0o755)
    (folder / "set_nccl_env.sh").touch()
    words = [re.sub(r"source \S+/", f"source {folder}/", each) for each in words]
    env = {**variables, "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(words, env=env, cwd=folder, capture_output=True, text=True, timeout=30, check=True)
    return done.stdout.split("\0")[:-1]


def test_each_argument_of_vllm_is_one_word(tmp_path: Path):
    words = [f"--max-num-seqs=1{each}" for each in HOSTILE]
    model = "model: meta-llama/Llama-3.1-405B-Instruct"
    graph = graph_of("gke", f"inference={{{model}, pool: a4, vllmArgs: {json.dumps(words)}}}")
    (group,) = [each for each in graph.resources if each.kind == "LeaderWorkerSet"]
    for role in ("leader", "worker"):
        template = group.inputs["spec"]["leaderWorkerTemplate"][f"{role}Template"]
        got = words_of(template["spec"]["containers"][0], {"HF_TOKEN": "secret"}, tmp_path)

        assert got[-len(words) :] == words


@pytest.mark.parametrize("kind", ["job", "jobset", "mpijob", "trainjob"])
def test_the_words_after_run_reach_the_program_of_a_job(kind: str, tmp_path: Path):
    options = ("--nodes", "2", "--kind", kind, "--json", "--run", "torchrun")
    manifests = json.loads(command("job", "a4-highgpu-8g", *options, *HOSTILE)[1])
    (container,) = [each for each in containers(manifests) if "torchrun" in each["command"]]
    if container["command"][0] == "mpirun":
        container["command"] = container["command"][4:]

    assert words_of(container, {"HF_TOKEN": "secret"}, tmp_path) == list(HOSTILE)


def containers(value: Any) -> list[dict[str, Any]]:
    """All containers with a command, wherever they stand."""
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = [value] if isinstance(value, dict) and isinstance(value.get("command"), list) else []
    return [*own, *(found for each in below for found in containers(each))]


def test_arguments_of_kubelet_reach_the_script_as_one_word(tmp_path: Path):
    arguments = ("--node-labels=a.b/c=d_e,f=%g-h", "--v=2", "--a")
    errors = ErrorList()
    check_arguments(list(arguments), errors)
    config = json.loads(cloud_config(FirstBoot("1.35.2", True, arguments)).removeprefix("#cloud-config\n"))
    scripts = [each["path"] for each in config["write_files"] if each["path"].startswith(FOLDER)]
    for each in scripts:
        place = tmp_path / Path(each).name
        place.write_text('#!/bin/sh\nfor word; do printf "%s\\0" "$word"; done\n')
        place.chmod(0o755)
    ((shell, option, line),) = config["runcmd"]
    line = line.replace(FOLDER, str(tmp_path))
    done = subprocess.run([shell, option, line], capture_output=True, text=True, check=True)

    assert not errors and len(scripts) == 3
    assert done.stdout.split("\0")[-3:-1] == ["1.35.2", " ".join(arguments)]


@pytest.mark.parametrize("character", [*"'\"`$\\;&|<>()*? \n\t{}"])
def test_arguments_of_kubelet_hold_no_sign_of_a_shell(character: str):
    errors = ErrorList()
    check_arguments([f"--a=b{character}c"], errors)

    assert errors


@given(TEXT | st.dictionaries(TEXT, TEXT, max_size=2) | st.lists(TEXT, max_size=2))
def test_cel_reads_a_literal_of_a_policy_as_the_value(value: Any):
    expression = cel.NewEnv(variables={"value": cel.Type.DYN}).compile(f"value == {literal(value)}")

    assert expression.eval(data={"value": value}).value() is True
