"""What node repair does where an instance must be kept, by the reasons that AWS's node monitoring agent gives.

By default most faults of GPUs have the instance replaced, and a reservation or a capacity block may have no other. A
reboot keeps the instance and its host (EC2 user guide, "Reboot your Amazon EC2 instance").
"""

from collections.abc import Mapping

from ..machine import Source

CONDITION = "AcceleratedHardwareReady"
WAIT_MINUTES = 10
"""AWS's own for this condition."""
SOURCE = Source(
    "github.com/aws/eks-node-monitoring-agent@51af549 pkg/reasons/reasons.yaml, docs/node-health-issues.adoc, "
    "monitors/nvidia/dcgm/dcgm_policies.go; docs.aws.amazon.com/eks/latest/userguide/node-repair.html",
    "2026-08-18",
)
_RESET = (46, 48, 62, 63, 64, 74, 95, 109, 110, 119, 120, 136, 140, 143, 151, 155, 156, 158)
"""XIDs that have a condition there, and that NVIDIA's catalogue mends by a reset of the GPU or a restart."""
_BEYOND = (54, 79, 142)
"""Those that it does not: a power cord, a full power cycle, support."""

KEEPS_INSTANCE: Mapping[str, str] = {
    **{f"NvidiaXID{code}Error": "Reboot" for code in _RESET},
    **dict.fromkeys(("NvidiaDoubleBitError", "NvidiaNVLinkError", "FabricManagerNotRunning", "DCGMError"), "Reboot"),
    **{f"NvidiaXID{code}Error": "NoAction" for code in _BEYOND},
    # It lasts over reboots, by AWS's own words; the other two are findings and no cure is known.
    **dict.fromkeys(("NvidiaFabricError", "NvidiaDeviceCountMismatch", "DCGMDiagnosticFailure"), "NoAction"),
}
"""Action by reason: nothing here replaces the instance."""
