"""The templates of the two machines that the GKE stack ships."""

import pytest
from rdma_cluster.catalog import machines
from rdma_cluster.claims import Nics, Pairs, Target, Template, Whole, offers, templates, windows
from rdma_cluster.claims.target import PCIE_ROOT

A4 = next(row for row in machines() if row.name == "a4-highgpu-8g")


def only(templates: tuple[Template, ...]) -> Template:
    """The single template of a tuple."""
    assert len(templates) == 1
    return templates[0]


@pytest.mark.parametrize("k", [1, 2, 4, 8])
def test_every_pair_has_its_own_constraint(k: int) -> None:
    """Requests alternate GPU and NIC, and constraint i names pair i alone."""
    template = only(templates(A4, Pairs(k), Target()))
    assert [r.name for r in template.requests] == [f"{kind}-{i}" for i in range(k) for kind in ("gpu", "nic")]
    assert [(c.match_attribute, c.requests) for c in template.constraints] == [
        (PCIE_ROOT, (f"gpu-{i}", f"nic-{i}")) for i in range(k)
    ]


def test_names() -> None:
    """A claim over all rails needs no rails in its name; a window names its first and last."""
    assert only(templates(A4, Pairs(8), Target())).name == "a4-highgpu-8g-pairs-8"
    assert only(templates(A4, Pairs(2, 4), Target())).name == "a4-highgpu-8g-pairs-2-rails-4-5"
    assert only(templates(A4, Pairs(1, 7), Target())).name == "a4-highgpu-8g-pairs-1-rail-7"
    assert only(templates(A4, Whole(), Target())).name == "a4-highgpu-8g-whole"
    assert only(templates(A4, Nics(), Target())).name == "a4-highgpu-8g-nics"


def test_windows_fill_the_node() -> None:
    """Aligned and disjoint: together they are all rails."""
    assert windows(A4, 2) == ((0, 1), (2, 3), (4, 5), (6, 7))
    assert windows(A4, 3) == ((0, 1, 2), (3, 4, 5))
    assert offers(A4, Pairs(4), Target()) == (Pairs(4, 0), Pairs(4, 4))


def test_manifest() -> None:
    """The v1 form: request bodies under `exactly`, counts and no `All`, every attribute read guarded."""
    assert only(templates(A4, Pairs(1, 3), Target())).manifest("train") == {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "a4-highgpu-8g-pairs-1-rail-3", "namespace": "train"},
        "spec": {
            "spec": {
                "devices": {
                    "requests": [
                        {
                            "name": "gpu-0",
                            "exactly": {
                                "deviceClassName": "gpu.nvidia.com",
                                "allocationMode": "ExactCount",
                                "count": 1,
                            },
                        },
                        {
                            "name": "nic-0",
                            "exactly": {
                                "deviceClassName": "dranet",
                                "allocationMode": "ExactCount",
                                "count": 1,
                                "selectors": [
                                    {"cel": {"expression": 'device.attributes["dra.net"].?rdma.orValue(false)'}},
                                    {
                                        "cel": {
                                            "expression": 'device.attributes["dra.net"].?ifName.orValue("")'
                                            ' == "gpu3rdma0"'
                                        }
                                    },
                                ],
                            },
                        },
                    ],
                    "constraints": [{"requests": ["gpu-0", "nic-0"], "matchAttribute": PCIE_ROOT}],
                }
            }
        },
    }
