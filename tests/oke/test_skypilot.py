"""An OKE stack for SkyPilot: labels, one machine type, and what its user has to do."""

from typing import Any

import pytest
from pulumi_offline.errors import Refused
from tests.oke.plans import DEDICATED, IN_EXISTING, RACKS, STACK_POOL, whole_plan

GB200 = {**RACKS, "name": "gb200"}
OWN_HOSTS = {**STACK_POOL, "capacity": DEDICATED}
ADOPTED = {"name": "a", "machine": "BM.GPU.H100.8", "nodes": 2, "names": ["a", "b"], "labels": {"team": "x"}}
SKY: dict[str, Any] = {"skypilot": True, "acceptance": {"enabled": False}}


def test_skypilot_finds_gpus_of_pools_and_adopted_nodes_by_a_label():
    plan = whole_plan([STACK_POOL], adopt=[ADOPTED], **SKY, **IN_EXISTING)

    assert plan.pools[0].labels["skypilot.co/accelerator"] == "h100"
    assert plan.adopted[0].labels.items() >= {"skypilot.co/accelerator": "h100", "team": "x"}.items()
    assert "skypilot.co/accelerator" not in whole_plan([STACK_POOL]).pools[0].labels


@pytest.mark.parametrize(
    ("pools", "rdma", "words"),
    [
        ([OWN_HOSTS], {}, []),
        ([STACK_POOL, {**OWN_HOSTS, "name": "b"}], {}, ["pool h100: SkyPilot finds RDMA by labels"]),
        ([GB200], {}, ["pool gb200: SkyPilot's pods ask for no IMEX channel"]),
        ([OWN_HOSTS], {"nic_attachment": "sriov"}, ["skypilot with rdma.nicAttachment sriov"]),
    ],
    ids=["dedicated", "on demand", "racks", "virtual functions"],
)
def test_skypilot_s_user_is_warned_of_what_is_left_to_do(
    pools: list[dict[str, Any]], rdma: dict[str, Any], words: list[str]
):
    warnings = [each for each in whole_plan(pools, rdma=rdma, **SKY).warnings if "SkyPilot" in each]

    assert len(warnings) == len(words)
    assert all(each.startswith(word) for each, word in zip(warnings, words, strict=True))
    assert not [each for each in whole_plan(pools, rdma=rdma, acceptance=SKY["acceptance"]).warnings if "Sky" in each]


def test_skypilot_is_given_one_network_for_each_function_that_it_asks_for():
    rdma = {"nic_attachment": "sriov", "resource": "nvidia.com/mlnxnics"}

    assert whole_plan([STACK_POOL], rdma=rdma, **SKY).skypilot == {
        "rdma": {"mode": "sriov", "resource": "nvidia.com/mlnxnics", "networks": "default/rdma-vf"}
    }
    assert whole_plan([STACK_POOL], **SKY).skypilot == {}


def test_skypilot_takes_one_machine_type_over_pools_and_adopted_nodes():
    others = {"machine": "BM.GPU.B200.8"}
    with pytest.raises(Refused) as caught:
        whole_plan(
            [STACK_POOL, {**STACK_POOL, **others, "name": "b"}], adopt=[{**ADOPTED, **others}], **SKY, **IN_EXISTING
        )

    assert [each.path for each in caught.value.errors] == [("pools", 1, "machine"), ("adopt", 0, "machine")]
