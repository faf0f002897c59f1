"""SkyPilot gets its label and the configuration that it needs on each cloud; `make skypilot` asks SkyPilot itself."""

import json
from typing import Any

import pytest
from rdma_cluster.cli.app import run
from tests.aks.changes import OTHER as AKS
from tests.stacks import graph_of

# sky/utils/gpu_names.py of SkyPilot 0.14.1, the data-centre GPUs from A100 on.
CANONICAL = {"GB300", "GB200", "B300", "B200", "B100", "GH200", "H200", "H100-80GB", "H100-MEGA", "H100"}
CANONICAL |= {"A100-80GB", "A100", "A10G", "L40S", "L4", "T4"}


@pytest.mark.parametrize(
    ("stack", "overrides", "gpu"),
    [("eks", (), "h100"), ("oke", (), "h100"), ("aks-dranet", AKS["skypilot"][:1], "h200")],
)
def test_nodes_have_the_label_by_which_skypilot_asks_for_a_gpu(stack: str, overrides: tuple[str, ...], gpu: str):
    said = json.dumps([each.inputs for each in graph_of(stack, *overrides, "skypilot=true").resources])

    assert f'"skypilot.co/accelerator": "{gpu}"' in said or f"skypilot.co/accelerator={gpu}" in said


def test_a_task_on_aks_gets_what_skypilot_does_not_find_by_itself():
    """SkyPilot's own GPUs and shared memory are left to it."""
    spec: dict[str, Any] = graph_of("aks-dranet", *AKS["skypilot"]).outputs["skypilot"]["kubernetes"]["pod_config"][
        "spec"
    ]
    (container,) = spec["containers"]

    assert "name" not in container and container["resources"]["limits"] == {"rdma/ib": "8"}
    assert container["resources"]["requests"] == container["resources"]["limits"]
    assert container["securityContext"] == {"capabilities": {"add": ["IPC_LOCK"]}}
    assert {each["name"] for each in container["volumeMounts"]} == {each["name"] for each in spec["volumes"]}
    assert "/dev/shm" not in {each["mountPath"] for each in container["volumeMounts"]}


@pytest.mark.parametrize(
    ("capacity", "task"),
    [
        ("flexStart", {"dws": {"enabled": True}}),
        ("queued", {"dws": {"enabled": True}, "kueue": {"local_queue_name": "a3-mega"}}),
    ],
)
def test_a_task_on_gke_asks_for_nodes_that_are_not_there_yet(
    capacity: str, task: dict[str, Any], capsys: pytest.CaptureFixture[str]
):
    """Pools that have nodes need nothing."""
    words = ("skypilot=true", f"pools[0].capacity={{{capacity}: true}}")
    told = graph_of("gke-a3-mega", *words).outputs["skypilot"]

    assert told == {"context": {"autoscaler": "gke"}, "tasks": {"a3-mega": {"kubernetes": task}}}
    assert graph_of("gke-a3-mega", "skypilot=true").outputs["skypilot"] == {}
    run(["plan", "gke-a3-mega", *(word for each in words for word in ("--set", each))])
    assert "tasks.a3-mega as the config of a task" in capsys.readouterr().out
