"""Whether the claims that a stack offers fit a node: our own allocator, on the devices that drivers publish."""

from collections.abc import Sequence

from ..claims import Target, Template
from ..claims.cel import Aborted
from ..claims.device import Device
from ..claims.solution import fill
from ..frozen import frozen


@frozen
class Claim:
    """The claims of one pod."""

    templates: tuple[Template, ...]

    @property
    def name(self) -> str:
        """Those of its templates."""
        return " + ".join(template.name for template in self.templates)

    def copies(self, devices: Sequence[Device], target: Target) -> int:
        """How many such pods a node with these devices holds when nothing else is on it."""
        try:
            return len(fill(self.templates, devices, target))
        except Aborted:  # as the scheduler would
            return 0
