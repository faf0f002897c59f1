"""NCCL's topology files, written from the catalogue, against Azure's own."""

import json
from hashlib import sha256
from xml.etree import ElementTree

import pytest
from rdma_cluster.catalog.aks import AksMachine
from rdma_cluster.fabrics.infiniband import Tuning
from rdma_cluster.fabrics.nccl_topology import topology_xml
from tests.aks.plans import BUILDABLE, row

WITH_FILE = [machine for machine in BUILDABLE if machine.topology]
# What ndv5-topo.xml and ndv4-topo.xml of Azure/aks-rdma-infiniband@700dabb (2026-07-16) say, read as below.
PUBLISHED = {
    "ndv5": "cbd56c1d0b10b4b23bfe9c02ebef846fd60edd6c9e7f4126824af6be08722dbd",
    "ndv4": "bcc3af6f3ec7a7dfa54695afb3d04a5f170a56fc0599013bd4567c8b2dd09d7e",
}


def said(text: str) -> list[object]:
    """What NCCL reads of a file: CPUs, the made-up switches below them, and the devices of each, in any order."""

    def device(element: ElementTree.Element) -> list[str | None]:
        return [element.get(key) for key in ("busid", "class", "link_speed", "link_width")]

    of_cpu = ("numaid", "affinity", "arch", "vendor", "familyid", "modelid")
    return [
        [*(cpu.get(key) for key in of_cpu), [[*device(bridge), sorted(map(device, bridge))] for bridge in cpu]]
        for cpu in ElementTree.fromstring(text)
    ]


@pytest.mark.parametrize("machine", WITH_FILE, ids=lambda machine: machine.name)
def test_a_file_says_what_azure_publishes(machine: AksMachine):
    """It has every CPU, mask, switch and device, and no other."""
    assert machine.topology is not None
    text = json.dumps(said(topology_xml(machine)))

    assert sha256(text.encode()).hexdigest() == PUBLISHED[machine.topology.name]


@pytest.mark.parametrize("machine", BUILDABLE, ids=lambda machine: machine.name)
def test_pods_find_the_file_where_they_are_told(machine: AksMachine):
    """NCCL_TOPO_FILE names it, and a ConfigMap brings it; the GB sizes find their own way."""
    adds = Tuning()(machine)

    assert adds.env.get("NCCL_TOPO_FILE") == next((f"{file.folder}/{file.name}" for file in adds.files), None)
    assert bool(adds.files) is (machine.topology is not None)
    assert adds.env.items() >= machine.nccl.items()


def test_switches_reduce_only_behind_machines_with_a_topology_file():
    """Its settings name a device as AKS's nodes do, and not as Azure's images for Slurm."""
    h100, gb300 = row("Standard_ND96isr_H100_v5"), row("Standard_ND128isr_GB300_v6")

    assert Tuning(sharp=True)(h100).env["NCCL_COLLNET_ENABLE"] == "1"
    assert "NCCL_COLLNET_ENABLE" not in Tuning()(h100).env
    assert Tuning(sharp=True)(gb300) == Tuning()(gb300)
    # By a name that AKS's nodes give, not by that of Azure's images for Slurm.
    device, _, port = Tuning(sharp=True)(h100).env["SHARP_SMX_UCX_INTERFACE"].partition(":")
    assert (device, port) == ((h100.rdma_names or ("",))[0], "1")
