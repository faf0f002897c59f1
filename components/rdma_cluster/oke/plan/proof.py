"""The test images of the acceptance test: their CUDA is one that the pools' nodes run."""

from collections.abc import Mapping
from dataclasses import replace

from ...catalog import oke_releases
from ...catalog.oke import OkeMachine
from ...fabrics import Fabric
from ...incluster.plan.acceptance import AcceptanceChoice


def decide_acceptance(acceptance: AcceptanceChoice, cuda: Mapping[str, str | None]) -> AcceptanceChoice:
    """The user's choice, with a test image whose CUDA is no newer than that of any node."""
    choice = AcceptanceChoice(**acceptance)
    # A newer driver runs it, too.
    if any(map(_is_cuda_12, cuda.values())) and "test" not in choice.get("images", {}):
        choice["images"] = {**choice.get("images", {}), "test": oke_releases.NCCL_TESTS_CUDA_12[0].image}
    return choice


def _is_cuda_12(version: str | None) -> bool:
    return version is not None and version.partition(".")[0] == "12"


def with_tests(fabric: Fabric, cuda: str | None) -> Fabric:
    """The fabric with images that run on a node of this CUDA."""
    tests = oke_releases.NCCL_TESTS_CUDA_12 if _is_cuda_12(cuda) else oke_releases.NCCL_TESTS
    return replace(fabric, proof=replace(fabric.proof, tests=tests))


def cuda_warnings(cuda: Mapping[str, str | None], acceptance: AcceptanceChoice) -> list[str]:
    """Pools whose test may bring a CUDA that is too new."""
    if not acceptance.get("enabled", True) or "test" in acceptance.get("images", {}):
        return []
    image_cuda = oke_releases.NCCL_TESTS_CUDA
    return [
        f"pool {name}: the CUDA of its nodes is not said, and the test's image brings {image_cuda}: an older driver "
        'does not start it; state it, e.g. cuda: "12.8"'
        for name, version in cuda.items()
        if version is None
    ]


def not_proven(machine: OkeMachine) -> str:
    """Why a shape's fabric cannot be proved inside `up`; empty where it can."""
    if machine.nvlink_domain <= machine.gpus:
        return ""
    return "no figure for two whole nodes of it is published, by its NICs or by NVLink"
