"""Claims for GPUs and NICs that no driver hands out."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.fabrics import FABRICS
from tests.incluster.pools import CONTEXT, DRA, GIB, NAMED, NICS, PLUGGED, pool
from tests.incluster.test_in_cluster import planned, refused

HOST = pool("host", "BM.GPU.H100.8", "roce-host", DRA)
OTHERS = {
    "gpus": (NICS, "GPUs of a4-highgpu-8g are handed out by a device plugin"),
    "plugged": (PLUGGED, "GPUs and NICs of p5.48xlarge are handed out by device plugins"),
    "host": (HOST, "NICs of BM.GPU.H100.8 go with the host's network"),
    "named": (NAMED, "pods get the NICs of a3-megagpu-8g by naming their networks"),
}


@pytest.mark.parametrize("key", ["pairs", "groups", "whole", "nics"])
@pytest.mark.parametrize("kind", ["plugged", "host", "named"])
def test_claims_that_no_driver_answers(kind: str, key: str):
    """Are refused with what does hand the NICs out, and what helps where something does."""
    some, why = OTHERS[kind]
    value = True if key in ("whole", "nics") else [1]
    told = refused(some, context=replace(CONTEXT, host="al2023", claimed_when="say please"), claims={key: value})

    instead = "" if kind == "named" else ", or say please"
    assert told[-1] == f"claims.{key}: {why}, so no claim can name them; remove it{instead}"


def test_gpus_that_a_device_plugin_hands_out():
    """Are told as that, though their machine's NICs could be claimed."""
    told = refused(PLUGGED, context=replace(CONTEXT, host="al2023"), claims={"gpus": [1]})

    assert told[-1] == (
        "claims.gpus: GPUs of p5.48xlarge are handed out by a device plugin, so no claim can name them; remove it, or "
        "set gpuAllocation: dra on its pool"
    )


@pytest.mark.parametrize(
    "claims", [{"pairs": [1]}, {"whole": False, "nics": False, "pairs": [], "groups": [], "gpus": []}, {}]
)
def test_claims_of_a_machine_that_has_another_pool(claims: Any):
    """One pool whose NICs are claimed is enough; what is switched off asks for nothing."""
    beside = replace(GIB, name="beside", fabric=FABRICS["gib-pod-networks"])

    assert planned(beside, GIB, claims=claims).claims is not None
