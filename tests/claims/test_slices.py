"""Synthetic slices against what is known of drivers elsewhere: the forms by which a living cluster's are read."""

import re

import pytest
from rdma_cluster.catalog import Machine, find, machines
from rdma_cluster.claims import Gpus, Groups, Intent, Nics, Numa, Pairs, Target, Whole, driver_of, judged_minor
from rdma_cluster.claims.device import Version
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.claims.solution import rests_on
from rdma_cluster.conform.redact import ATTRIBUTES, OTHERS

OF_THE_OWNER = {"gpu.nvidia.com/uuid", "dra.net/mac", "dra.net/ipv4"}
"""Ids and addresses, which no snapshot holds."""
KINDS: dict[str, type] = {"driverVersion": Version, "cudaDriverVersion": Version, "cudaComputeCapability": Version}
KINDS |= dict.fromkeys(("numaNode", "mtu", "index", "minor"), int)
KINDS |= dict.fromkeys(("rdma", "virtual", "sriov", "ebpf"), bool)


def machine(name: str) -> Machine:
    """One of the catalogue."""
    row = find(name)
    assert row is not None
    return row


@pytest.mark.parametrize("nvidia", ["25.3.2", "25.8.0", "0.5.0"])
def test_attributes_have_known_names_forms_and_types(nvidia: str):
    """On every machine: names as the reader of living clusters has them, texts in its forms."""
    made_up = re.compile(r"0000:f[ef]:[0-9a-f]{2}\.[01]|rdmapff\d+|railff\d+|mlx5_fe\d+|Elastic Fabric Adapter.*")
    for row in machines():
        for target in (
            Target(nvidia=nvidia),
            Target(driver_of(row), nvidia=nvidia, kubernetes=(1, 37), dranet="1.5.0"),
        ):
            for device in (each for of in resource_slices(row, target) for each in of.devices):
                for name, value in device.attributes.items():
                    kind = KINDS.get(name.rpartition("/")[2], str)
                    assert type(value) is kind, (row.name, name)
                    if kind is not str:
                        assert name.rpartition("/")[2] in OTHERS, name
                    elif name not in OF_THE_OWNER:
                        text = str(value)
                        known = re.fullmatch(ATTRIBUTES[name], text) or made_up.fullmatch(text) or text == "unknown"
                        assert known or name.endswith(("productName", "brand", "pciBusID")), (row.name, name, value)


def test_an_object_of_the_api():
    """A slice of the one pool of its node, whole: values by type, capacity as quantities."""
    gpus, nics = (each.manifest() for each in resource_slices(machine("a4-highgpu-8g"), Target(), "n1"))

    assert (gpus["apiVersion"], gpus["kind"]) == ("resource.k8s.io/v1", "ResourceSlice")
    assert gpus["metadata"] == {"name": "n1-gpu.nvidia.com"} and nics["metadata"] == {"name": "n1-dra.net"}
    spec = {key: value for key, value in gpus["spec"].items() if key != "devices"}
    pool = {"name": "n1", "generation": 1, "resourceSliceCount": 1}
    assert spec == {"driver": "gpu.nvidia.com", "nodeName": "n1", "pool": pool}
    first = gpus["spec"]["devices"][0]
    assert (first["name"], first["capacity"]) == ("gpu-0", {"memory": {"value": "180Gi"}})
    assert first["attributes"]["productName"] == {"string": "NVIDIA B200"}
    assert first["attributes"]["driverVersion"] == {"version": "580.95.5"}
    assert first["attributes"]["resource.kubernetes.io/pcieRoot"].keys() == {"string"}
    rail = nics["spec"]["devices"][-1]
    assert (rail["name"], rail["attributes"]["rdma"], rail["attributes"]["mtu"]) == (
        "rail-7", {"bool": True}, {"int": 1500},
    )  # fmt: skip
    assert "capacity" not in rail


@pytest.mark.parametrize(
    ("name", "intent", "fields"),
    [
        ("a4-highgpu-8g", Pairs(1), {"roots", "nic_names"}),
        ("a4-highgpu-8g", Groups(1, 2, 2), {"roots", "nic_names"}),
        ("a4-highgpu-8g", Numa(), {"roots", "roots.numa", "gpu_pci", "nic_names"}),
        ("a4-highgpu-8g", Whole(), set()),
        ("a4-highgpu-8g", Nics(), set()),
        ("a4-highgpu-8g", Gpus(2), set()),
        ("p5.48xlarge", Pairs(1), {"roots"}),
        ("Standard_ND96isr_H100_v5", Pairs(1), {"roots", "gpu_pci", "nic_pci"}),
    ],
)
def test_what_a_proof_rests_on(name: str, intent: Intent, fields: set[str]):
    """Roots, and what names the rails where they are named; nothing but counts where all is claimed."""
    row = machine(name)
    assert rests_on(row, intent, Target(driver_of(row))) == fields


def test_the_minor_that_claims_are_judged_under():
    """The cluster's, but none below the first with ``resource.k8s.io/v1``."""
    assert [judged_minor(text) for text in ("1.33", "1.34.1", "1.36.2-gke.100", "")] == [
        (1, 34), (1, 34), (1, 36), (1, 34),
    ]  # fmt: skip
