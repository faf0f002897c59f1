"""What SkyPilot is given on each cloud: its names of GPUs, its label, and the configuration that it needs besides.

That it finds the fabric with them is asked of SkyPilot itself: `make skypilot`.
"""

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
def test_nodes_have_its_label(stack: str, overrides: tuple[str, ...], gpu: str):
    """By which it asks for a GPU; without it there are no GPUs for SkyPilot."""
    said = json.dumps([each.inputs for each in graph_of(stack, *overrides, "skypilot=true").resources])

    assert f'"skypilot.co/accelerator": "{gpu}"' in said or f"skypilot.co/accelerator={gpu}" in said


def test_a_task_on_aks():
    """What SkyPilot does not find by itself; its own GPUs and shared memory are left to it."""
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
def test_pools_without_nodes_on_gke(capacity: str, task: dict[str, Any], capsys: pytest.CaptureFixture[str]):
    """SkyPilot asks for what has no node yet, and puts a task on the pool or into its queue; others need nothing."""
    words = ("skypilot=true", f"pools[0].capacity={{{capacity}: true}}")
    told = graph_of("gke-a3-mega", *words).outputs["skypilot"]

    assert told == {"context": {"autoscaler": "gke"}, "tasks": {"a3-mega": {"kubernetes": task}}}
    assert graph_of("gke-a3-mega", "skypilot=true").outputs["skypilot"] == {}
    run(["plan", "gke-a3-mega", *(word for each in words for word in ("--set", each))])
    assert "tasks.a3-mega as the config of a task" in capsys.readouterr().out
