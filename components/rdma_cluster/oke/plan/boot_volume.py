"""The boot volume of an OKE node."""

from typing import NotRequired

from typing_extensions import TypedDict

from ...args import shape
from ...faults import Faults

DEFAULT_GB = 512  # the stack's default for RDMA pools; one GPU image is 8 to 20 GB
DEFAULT_VPUS_PER_GB = 10

_GB = range(50, 32769)
_VPUS = range(10, 121, 10)


@shape
class OkeBootVolume(TypedDict):
    """The boot volume of a node."""

    gb: NotRequired[int]
    """Default: 512."""
    vpus_per_gb: NotRequired[int]
    """Speed, 10 to 120 in tens. Default: 10. Not with ``managed`` nodes, whose API does not know it."""


def check_volume(volume: OkeBootVolume, faults: Faults) -> None:
    """A size and a speed that OCI has."""
    gb = volume.get("gb", DEFAULT_GB)
    if gb not in _GB:
        faults.at("gb").add(f"got {gb}; a boot volume has {_GB.start} to {_GB.stop - 1} GB")
    vpus = volume.get("vpus_per_gb", DEFAULT_VPUS_PER_GB)
    if vpus not in _VPUS:
        faults.at("vpus_per_gb").add(f"got {vpus}; take 10 to 120, in tens")
