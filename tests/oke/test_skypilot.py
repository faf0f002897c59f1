"""An OKE stack for SkyPilot: labels, one machine type, and what its user is told."""

from typing import Any

import pytest
from pulumi_offline.errors import Refused
from tests.oke.plans import CLUSTER, DEDICATED, ON_DEMAND, RACKS, whole_plan

POOL: dict[str, Any] = {"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2, "capacity": ON_DEMAND}
B200 = {**POOL, "name": "b200", "machine": "BM.GPU.B200.8"}
GB200 = {**RACKS, "name": "gb200"}
THERE: dict[str, Any] = {
    "kubernetes": {"existing": {"id": CLUSTER}, "version": "1.36.1", "name": "c"},
    "network": {
        "existing": {
            "vcn": "ocid1.vcn.oc1..a",
            **dict.fromkeys(
                ("api_subnet", "worker_subnet", "pod_subnet", "load_balancer_subnet"), "ocid1.subnet.oc1..a"
            ),
            "cidrs": ["10.0.0.0/16"],
        }
    },
}


SKY: dict[str, Any] = {"skypilot": True, "acceptance": {"enabled": False}}


def test_skypilot_finds_gpus_by_a_label():
    """Of pools and of adopted nodes; another label of the user's stays."""
    adopt = [{"name": "a", "machine": "BM.GPU.H100.8", "nodes": 2, "names": ["a", "b"], "labels": {"team": "x"}}]
    plan = whole_plan([POOL], adopt=adopt, **SKY, **THERE)

    assert plan.pools[0].labels["skypilot.co/accelerator"] == "h100"
    assert plan.adopted[0].labels == {"rdma-cluster/pool": "a", "skypilot.co/accelerator": "h100", "team": "x"}
    assert "skypilot.co/accelerator" not in whole_plan([POOL]).pools[0].labels
    assert (whole_plan([POOL]).skypilot, plan.skypilot) == ({}, {})


@pytest.mark.parametrize(
    ("pools", "rdma", "words"),
    [
        ([{**POOL, "capacity": DEDICATED}], {}, []),
        (
            [POOL, {**POOL, "name": "b", "capacity": DEDICATED}],
            {},
            ["pool h100: SkyPilot finds RDMA by labels oci.oraclecloud.com/rdma.*"],
        ),
        ([GB200], {}, ["pool gb200: SkyPilot's pods ask for no IMEX channel"]),
        (
            [{**POOL, "capacity": DEDICATED}],
            {"nic_attachment": "sriov"},
            ["skypilot with rdma.nicAttachment sriov: write the stack's output skypilot"],
        ),
    ],
    ids=["dedicated", "on demand", "racks", "virtual functions"],
)
def test_what_skypilots_user_has_to_do(pools: list[dict[str, Any]], rdma: dict[str, Any], words: list[str]):
    """Each thing where it is so, and for whom."""
    warnings = [each for each in whole_plan(pools, rdma=rdma, **SKY).warnings if "SkyPilot" in each]

    assert len(warnings) == len(words)
    assert all(each.startswith(word) for each, word in zip(warnings, words, strict=True))
    assert not [each for each in whole_plan(pools, rdma=rdma, acceptance=SKY["acceptance"]).warnings if "Sky" in each]


def test_skypilot_is_told_of_the_functions():
    """One network, which it writes once for each device that it asks for."""
    rdma = {"nic_attachment": "sriov", "resource": "nvidia.com/mlnxnics"}

    assert whole_plan([POOL], rdma=rdma, **SKY).skypilot == {
        "rdma": {"mode": "sriov", "resource": "nvidia.com/mlnxnics", "networks": "default/rdma-vf"}
    }


def test_skypilot_takes_one_machine_type():
    """Over pools and adopted nodes alike; each other one is told where it stands."""
    adopt = [{"name": "a", "machine": "BM.GPU.H100.8", "nodes": 2, "names": ["a", "b"]}]
    with pytest.raises(Refused) as caught:
        whole_plan([POOL, B200], adopt=[{**adopt[0], "machine": "BM.GPU.B200.8"}], **SKY, **THERE)

    assert [each.path for each in caught.value.errors] == [("pools", 1, "machine"), ("adopt", 0, "machine")]
    assert whole_plan([POOL], adopt=adopt, **SKY, **THERE)
