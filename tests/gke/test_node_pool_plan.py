"""What the machine, the mode of the NICs and the GPU allocation decide for a GKE node pool."""

from typing import Any

import pytest
from tests.gke.plans import pool_plan, rails, refused

DRA_LABELS = {
    "gke-no-default-nvidia-gpu-device-plugin": "true",
    "nvidia.com/gpu.present": "true",
    "cloud.google.com/gke-nvidia-gpu-dra-driver": "true",
}


def test_labels_follow_who_hands_out_gpus_and_nics():
    """A label of ours always stays, since the provider cannot take the last one of a pool away."""
    plugin = pool_plan(gpu_allocation="device-plugin")

    assert pool_plan().gpu_driver == "INSTALLATION_DISABLED"
    assert (plugin.gpu_driver, plugin.labels) == ("DEFAULT", {"rdma-cluster/pool": "a4"})
    assert pool_plan(mode="managed").labels == {**DRA_LABELS, "cloud.google.com/gke-networking-dra-driver": "true"}
    assert pool_plan(capacity={"queued": True}).labels == {**DRA_LABELS, "cloud.google.com/gke-queued": "true"}
    assert pool_plan(labels={"team": "a"}).labels == {**DRA_LABELS, "team": "a"}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"capacity": {"flex_start": True}}, ["growing from 0 nodes"]),
        ({"capacity": {"flex_start": True}, "gpu_allocation": "device-plugin"}, []),
        ({"mode": "managed-auto", "networks": []}, ["was seen to hang"]),
        ({"capacity": {"spot": True}, "mode": "managed-auto", "networks": []}, ["preempted", "was seen to hang"]),
        ({"capacity": {"spot": True}, "nodes": 1}, []),
    ],
    ids=["grows for claims", "grows for plugins", "networks by GKE", "spot", "one spot node"],
)
def test_what_may_not_work_is_told_with_the_name_of_the_pool(more: dict[str, Any], words: list[str]):
    warnings = pool_plan(**more).warnings

    assert all(each.startswith("pool a4: ") for each in warnings)
    assert [word in each for word, each in zip(words, warnings, strict=True)] == [True] * len(words)


@pytest.mark.parametrize(
    ("machine", "wanted"),
    [("a4-highgpu-8g", 9), ("a4x-highgpu-4g", 5), ("a4x-maxgpu-4g-metal", 9), ("a3-megagpu-8g", 8)],
)
def test_a_pool_wants_one_network_for_each_further_nic(machine: str, wanted: int):
    assert pool_plan(machine, rails(wanted)).machine.name == machine
    for count in (0, wanted - 1, wanted + 1):
        assert refused(pool_plan, machine, rails(count)) == ["networks"]


class Later:
    """A value that another resource brings."""

    def apply(self, read: Any) -> Any:
        """As outputs have it."""
        return self


def test_networks_that_are_known_later_are_trusted_and_gke_makes_its_own():
    assert pool_plan(networks=Later()) == pool_plan()
    assert pool_plan(networks=[], mode="managed-auto").auto_networks


def test_each_part_of_a_pool_has_a_least_version_of_its_own():
    """The fabric of the machine, flex-start and GKE's own driver of NICs are refused one by one."""
    assert refused(pool_plan, version="1.31", mode="managed", capacity={"queued": True}) == ["machine"] * 3
    assert refused(pool_plan, version="1.36", mode="managed", capacity={"queued": True}) == []
    assert refused(pool_plan, version="no version") == []
