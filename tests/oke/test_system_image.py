"""Of several images that OKE offers for system nodes the newest is taken, in whatever order they are listed."""

import pytest
from rdma_cluster.oke.plan.cluster import system_image

OLD = "Oracle-Linux-8.10-2026.02.28-0-OKE-1.36.1-1210"
NEW = "Oracle-Linux-8.10-2026.06.30-0-OKE-1.36.1-1330"
OTHERS = (
    "Oracle-Linux-8.10-2026.08.31-0-OKE-1.35.2-1400",
    "Oracle-Linux-8.10-aarch64-2026.08.31-0-OKE-1.36.1-1400",
    "Oracle-Linux-8.10-Gen2-GPU-2026.08.31-0-OKE-1.36.1-1400",
)


@pytest.mark.parametrize("names", [(OLD, NEW, *OTHERS), (NEW, OLD, *OTHERS), (*OTHERS, NEW, OLD)])
def test_the_newest_of_its_version(names: tuple[str, ...]):
    """Not one of another version, for Arm or with drivers of GPUs, which are newer here."""
    assert system_image({name: f"id of {name}" for name in names}, "1.36.1") == f"id of {NEW}"


def test_none():
    with pytest.raises(LookupError, match=r"1\.34\.2; take another"):
        system_image({name: name for name in (OLD, NEW, *OTHERS)}, "1.34.2")
