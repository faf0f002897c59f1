"""Why no node of a machine can satisfy an intent, and the checks that need no layout."""

from ..catalog import Machine, NicKind
from ..fabrics import GpuAllocation
from . import layout
from .intent import Intent, Nics, Whole
from .target import Target, naming


class Unsatisfiable(ValueError):
    """No node of the machine can satisfy the intent under this target."""

    def __init__(
        self, machine: Machine, intent: Intent, reason: str, maximum: int | None = None, remedy: str = ""
    ) -> None:
        super().__init__(f"{machine.name}: {intent}: {reason}; {remedy}")
        self.machine = machine
        self.intent = intent
        self.reason = reason
        self.maximum = maximum
        """The most units of the intent that a node can hold, where there is such a number."""
        self.remedy = remedy
        """The form that works instead."""

    def explain(self) -> str:
        """The refusal as text: the reason, the most that fits, where the devices sit, and what works instead."""
        lines = [f"{self.machine.name}: {self.intent}: not satisfiable", f"  because {self.reason}"]
        if self.maximum is not None:
            lines.append(f"  at most {self.maximum} on one node")
        lines += [f"  {line}" for line in layout.table(self.machine)]
        lines.append(f"  instead: {self.remedy}")
        return "\n".join(lines)


def check_target(machine: Machine, intent: Intent, target: Target) -> None:
    """Refuse what the cloud, the drivers or the versions rule out, whatever the machine's layout."""

    def refuse(reason: str, remedy: str) -> Unsatisfiable:
        return Unsatisfiable(machine, intent, reason, remedy=remedy)

    if target.kubernetes < (1, 34):
        got = ".".join(map(str, target.kubernetes))
        raise refuse(f"resource.k8s.io/v1 is served from Kubernetes 1.34 on, got {got}", "raise the version")
    nics = target.nics
    if nics.only_on not in (None, machine.cloud):
        got = f"got a machine of {machine.cloud}"
        raise refuse(f"the NIC driver {nics.driver} exists on {nics.only_on} only, {got}", "use dranet")
    if nics.only_for not in (None, machine.transport):
        raise refuse(f"{nics.driver} publishes {nics.only_for.value} devices only", "use dranet")
    if machine.nic_kind is NicKind.NETDEV:
        raise refuse(
            f"its NICs are gVNICs that {machine.transport.value} drives through Network annotations, not RDMA devices",
            "give pods all GPUs of a node by the device plugin and its NICs by annotations",
        )
    if machine.rdma_front_end and naming(machine, target) is None:
        reason = "neither name nor address of its rails is known, and its front-end NICs are RDMA devices too"
        raise refuse(reason, "add the rails' addresses to the catalogue")
    if isinstance(intent, Nics):
        return
    if machine.gpu is None:
        raise refuse("the machine has no GPU", "claim its NICs alone (nics)")
    if target.gpus is GpuAllocation.DEVICE_PLUGIN and not isinstance(intent, Whole):
        raise refuse(
            "the device plugin hands out the GPUs, and no constraint reaches from a NIC claim to them",
            "hand out the GPUs by dra, or claim the NICs of a whole node (nics)",
        )
    if target.gpus is GpuAllocation.DRA and not layout.has_nvidia_gpus(machine):
        raise refuse(
            f"the driver gpu.nvidia.com does not serve {machine.gpu.model}",
            "hand out the GPUs by device-plugin and claim the NICs of a whole node (nics)",
        )
