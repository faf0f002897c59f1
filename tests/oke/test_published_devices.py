"""The RDMA devices of each shape are those that Oracle tells NCCL to use."""

import pytest
from rdma_cluster.catalog.oke import MACHINES

# oci-hpc-oke@61d210a docs/recommended-nccl-rccl-parameters-by-shape.md, NCCL_IB_HCA, 2026-08-20: the numbers of mlx5_N.
_A100 = {*range(1, 13), *range(14, 18)}
_B200 = {0, 3, 4, 5, 6, 9, 10, 11}
_CONNECTX_7, _CONNECTX_8 = {0, 1, 3, 4}, {0, 1, 2, 3, 5, 6, 7, 8}
PUBLISHED = {
    "BM.GPU4.8": {*range(4), *range(6, 18)},
    "BM.GPU.A100-v2.8": _A100,
    "BM.GPU.B4.8": _A100,
    "BM.GPU.H100.8": {0, 1, *range(3, 11), *range(12, 18)},
    "BM.GPU.H200.8": _B200,
    "BM.GPU.RTXPRO.8": {0, 1, 2, 3, 6, 7, 8, 9},
    "BM.GPU.B200.8": _B200,
    "BM.GPU.B300.8": {0, 1, *range(7, 15), *range(16, 22)},
    "BM.GPU.GB200.4": _CONNECTX_7,
    "BM.GPU.GB200-v2.4": _CONNECTX_7,
    "BM.GPU.GB200-v3.4": _CONNECTX_8,
    "BM.GPU.GB300.4": _CONNECTX_8,
    "BM.GPU.MI300X.8": {0, 2, 3, 4, 5, 7, 8, 9},
    "BM.GPU.MI355X-v1.8": set(range(8)),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_devices_are_those_that_oracle_names(name: str):
    """Their order is another: ours is that of the roots."""
    (machine,) = [each for each in MACHINES if each.name == name]

    assert set(machine.rdma_names or ()) == {f"mlx5_{number}" for number in PUBLISHED[name]}
