"""What a user gets who names a model."""

import json
from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog import machines
from rdma_cluster.catalog.machine import Machine
from rdma_cluster.fabrics import FABRICS, GpuAllocation
from rdma_cluster.incluster.addons.inference.args import DistributedInferenceArgs
from rdma_cluster.incluster.addons.inference.plan import plan_inference
from tests.inference.pods import LLAMA, POOLS, args, container, h100, plan, pod


@pytest.mark.parametrize(
    ("pool", "image", "transport"),
    [
        ("oke", "vllm/vllm-openai", "RoCE"),
        ("a3-ultra", "vllm/vllm-openai", "gIB"),
        ("p5", "deep-learning-containers/vllm", "EFA"),
        ("aks", "vllm/vllm-openai", "InfiniBand"),
    ],
)
def test_the_model_alone_is_enough(pool: str, image: str, transport: str):
    """Two nodes serve, the image speaks their fabric, and the check judges its transport."""
    made = plan(pool)
    check = made.objects.check.job["spec"]["template"]["spec"]["containers"][0]["args"]

    assert made.objects.leader_worker_set["spec"]["leaderWorkerTemplate"]["size"] == 2
    assert f"{image}:" in container(made, "leader")["image"]
    assert json.loads(check[check.index("--network") + 1])["transport"] == transport


@pytest.mark.parametrize("pool", POOLS)
def test_each_pod_has_a_whole_node(pool: str):
    """It gets the node by claims or by what plugins and the host's network hand out; never two are on one node."""
    made = plan(pool)

    for role in ("leader", "worker"):
        spec, resources = pod(made, role), container(made, role)["resources"]
        named = [each["resourceClaimTemplateName"] for each in spec.get("resourceClaims", [])]
        assert named == [template.name for template in made.templates]
        assert len(resources.get("claims", [])) == len(named)
        assert named or resources["limits"]["nvidia.com/gpu"] == "8"
        assert spec["affinity"]["podAntiAffinity"]
        assert spec["nodeSelector"] == {"pool": POOLS[pool]["name"]}
        assert [each["key"] for each in spec["tolerations"]] == ["nvidia.com/gpu"]
        assert (spec["automountServiceAccountToken"], spec["enableServiceLinks"]) == (False, False)


@pytest.mark.parametrize(("said", "size"), [({"model": "a/b", "weights": {"gb": 1500}}, 3), ({}, 2)])
def test_nodes_follow_from_the_model(said: dict[str, Any], size: int):
    """A small model takes two nodes all the same: below that there is no fabric."""
    small = {"model": "meta-llama/Llama-3.1-70B-Instruct"}
    made = plan(**{**small, **said}, pools=[h100(3)])

    assert made.objects.leader_worker_set["spec"]["leaderWorkerTemplate"]["size"] == size


def test_layers_may_be_shared_over_nodes():
    """By default each node has its own layers."""
    tensor, pipeline = plan(split="tensor"), plan()
    words = container(tensor, "leader")["args"]

    assert words[words.index("--tensor-parallel-size") + 1] == "16"
    assert words[words.index("--pipeline-parallel-size") + 1] == "1"
    assert tensor.split.startswith("16 GPUs a layer") and pipeline.split.startswith("8 GPUs a layer")


OWN_DISK = "onto its own disk"


@pytest.mark.parametrize(
    ("said", "warned"),
    [
        ({}, ["Secret hf-token", OWN_DISK]),
        ({"pools": [h100(disk_gb=2000)]}, ["Secret hf-token"]),
        ({"weights": {"token_secret": "mine"}, "pools": [h100(disk_gb=2000)]}, ["Secret mine"]),
        ({"weights": {"claim": "m", "claim_gb": 900}}, []),
        ({"weights": {"claim": "m"}}, ["weights.claimGb"]),
        ({"weights": {"claim": "m", "storage": True}}, []),
        ({"model": "a/b", "weights": {"gb": 700}}, ["layers of a/b are not known", OWN_DISK]),
        ({"split": "tensor", "weights": {"claim": "m", "claim_gb": 900}}, ["inference.split is tensor"]),
        ({"model": "a/b", "weights": {"gb": 618, "claim": "m", "claim_gb": 900}}, ["needs none of this", "layers"]),
        ({"model": "a/b", "weights": {"gb": 619, "claim": "m", "claim_gb": 900}}, ["layers"]),
    ],
)
def test_what_is_not_checked_or_costs_more_is_warned_of(said: dict[str, Any], warned: list[str]):
    warnings = plan("oke", **said).warnings

    assert len(warnings) == len(warned)
    assert all(word in warning for word, warning in zip(warned, warnings, strict=True))


@pytest.mark.parametrize("machine", [each for each in machines() if each.gpu], ids=lambda machine: machine.name)
def test_every_machine_serves_or_is_refused(machine: Machine):
    """By each of its fabrics, with GPUs by claims and by a plugin, there is a plan or a list of errors."""
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


def test_images_come_from_mirrors():
    """An image of the user's own stands as it is."""
    mirrors = {"docker.io": "m.example/hub", "registry.k8s.io": "m.example/k8s"}
    made = plan(registries=mirrors)
    assert made.controller is not None
    (waiter,) = made.controller.waiter.job["spec"]["template"]["spec"]["containers"]

    assert container(made, "leader")["image"].startswith("m.example/hub/")
    assert waiter["image"].startswith("m.example/hub/")
    assert made.controller.settings.values["image"]["manager"]["repository"].startswith("m.example/k8s/")
    assert container(plan(image="mine.example/vllm:9", registries=mirrors), "leader")["image"] == "mine.example/vllm:9"
    assert plan(controller="existing").controller is None


def test_a_person_reads_the_arithmetic():
    made = plan("a4", namespace="team")

    assert (made.model, made.pool, made.namespace) == (LLAMA, "a4", "team")
    assert all(each in made.memory for each in ("812 GB of weights", "17 GB", "32768 tokens", "2783 GB", "180 GiB"))
