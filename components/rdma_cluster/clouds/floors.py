"""The least Kubernetes version that what a stack asks for needs."""

from collections.abc import Iterable
from dataclasses import dataclass

from .. import versions
from ..faults import Faults
from ..unread import rule


@dataclass(frozen=True)
class VersionFloor:
    """One need."""

    what: str
    """With its verb. Example: ``claims for GPUs need``."""
    least: str
    remedy: str


@rule
def check_floors(version: str, floors: Iterable[VersionFloor], service: str, faults: Faults) -> None:
    """Each need that ``version`` of a cloud's ``service`` does not meet."""
    for floor in floors:
        if not versions.at_least(version, floor.least):
            faults.add(f"got {version}; {floor.what} {service} {floor.least} or later; {floor.remedy}")
