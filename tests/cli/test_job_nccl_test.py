"""`rdma-cluster job --kind nccl-test`, and jobs of a part of each node: the pods of DraNet's own guide."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.commands import command

A4 = ("a4", "--stack", "gke")
TEST = ("--kind", "nccl-test")


def objects(*words: str) -> list[dict[str, Any]]:
    """What the command prints."""
    code, out, err = command("job", *words)
    assert code == 0, err
    return list(yaml.safe_load_all(out))


def pod_of(job: dict[str, Any]) -> dict[str, Any]:
    """The pods of a Job, or the workers of an MPIJob."""
    spec = job["spec"]
    return (spec["mpiReplicaSpecs"]["Worker"] if "mpiReplicaSpecs" in spec else spec)["template"]["spec"]


def claimed(job: dict[str, Any]) -> list[str]:
    return [each["resourceClaimTemplateName"] for each in pod_of(job)["resourceClaims"]]


@pytest.mark.parametrize(
    ("words", "template"),
    [
        (("--gpus-per-node", "2"), "a4-highgpu-8g-pairs-2-rails-0-1"),
        (("--rails", "rails-2-3"), "a4-highgpu-8g-pairs-2-rails-2-3"),
        (("--rails", "rail-3", "--gpus-per-node", "1"), "a4-highgpu-8g-pairs-1-rail-3"),
        (("--gpus-per-node", "8"), "a4-highgpu-8g-whole"),
    ],
)
def test_a_pod_takes_a_part_of_its_node_by_a_template_of_the_stack(words: tuple[str, ...], template: str):
    """All pods of a job take the same template, so that they hold the same rails, and no two share a node."""
    *_, job = objects(*A4, "--nodes", "2", *words)
    part = "pairs" in template

    assert claimed(job) == [template]
    assert ("affinity" in pod_of(job)) == part
    if part:
        (term,) = pod_of(job)["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        own = job["spec"]["template"]["metadata"]["labels"]
        assert term["labelSelector"]["matchLabels"].items() <= own.items()
    printed = {each["metadata"]["name"] for each in objects("a4-highgpu-8g", "--nodes", "2", *words)}
    assert template in printed  # a machine alone brings it


@pytest.mark.parametrize(("gpus", "fit"), [("1", 8), ("2", 4), ("4", 2), ("8", 1)])
def test_kueue_sees_by_the_cpus_how_many_pods_a_node_has_room_for(gpus: str, fit: int):
    """Of the 224 of an a4-highgpu-8g."""
    *_, job = objects(*A4, "--nodes", "1", "--gpus-per-node", gpus)

    assert 224 // int(pod_of(job)["containers"][0]["resources"]["requests"]["cpu"]) == fit


def test_a_test_by_hand_has_the_users_variables_above_the_fabrics(tmp_path: Path):
    """The first pod's command, run with stand-ins for ssh and mpirun: it asks every pod, and starts a rank a GPU."""
    words = (
        "--nodes",
        "2",
        "--gpus-per-node",
        "2",
        "--env",
        "NCCL_NET=Socket",
        "--env",
        "NCCL_DEBUG=WARN",
        "--name",
        "t",
    )
    service, policy, job = objects(*A4, *TEST, *words, "--run", "all_reduce_perf", "-b", "8")
    fabric = tmp_path / "fabric.sh"
    fabric.write_text("export NCCL_NET=gIB NCCL_OF_SCRIPT=1\n")
    tools = {
        "ssh": 'echo "asked ${@: -2:1}" >&2',
        "mpirun": 'echo "$@, $PRTE_MCA_plm_ssh_agent" >&2; while [ "$1" != env ]; do shift; done; exec "$@"',
        "all_reduce_perf": 'echo "ran $@ $NCCL_NET $NCCL_DEBUG $NCCL_DEBUG_SUBSYS $NCCL_OF_SCRIPT"',
    }
    for name, does in tools.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{does}\n")
        (tmp_path / name).chmod(0o755)
    command_line = [
        word.replace("$$", "$")
        .replace("/sbin/ldconfig", ":")
        .replace("/scripts/container_entry.sh daemon", "true")
        .replace("/usr/local/gib/scripts/set_nccl_env.sh", str(fabric))
        .replace("/third_party/nccl-tests/build", str(tmp_path))
        for word in pod_of(job)["containers"][0]["command"]
    ]
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "JOB_COMPLETION_INDEX": "0", "NCCL_OF_IMAGE": "1"}
    done = subprocess.run(command_line, env=env, capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout == f"# {tmp_path}/all_reduce_perf\nran -b 8 Socket WARN INIT,NET 1\n"
    assert "asked t-0.t\nasked t-1.t\n" in done.stderr
    assert "--host t-0.t:2,t-1.t:2 -np 4 " in done.stderr and "-x NCCL_OF_IMAGE " in done.stderr
    assert ", ssh -p 222 " in done.stderr  # for Open MPI 5
    assert job["spec"]["successPolicy"] == {"rules": [{"succeededIndexes": "0"}]}
    assert policy["spec"]["podSelector"]["matchLabels"] == service["spec"]["selector"]


@pytest.mark.parametrize(
    ("pool", "stack", "in_host"), [("p5", "eks", False), ("h100", "oke", True)], ids=["own network", "the host's"]
)
def test_ranks_of_an_mpijob_have_the_fabrics_variables(pool: str, stack: str, in_host: bool):
    """sshd hands on none of its container; and in the host's network it stands beside the host's own."""
    for kind in ("mpijob", "nccl-test"):
        *_, job = objects(pool, "--stack", stack, "--nodes", "1", "--kind", kind, "--env", "MINE=1")
        (launcher,) = job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"]
        (worker,) = pod_of(job)["containers"]

        assert {f"{each['name']}={each['value']}" for each in worker["env"]} <= set(launcher["command"])
        assert "MINE=1" in launcher["command"] and launcher["command"].count("-np") == 1
        ports = [json.dumps(each).count("2222") > 0 for each in (worker["command"], launcher["command"])]
        assert ports == [in_host, in_host]
