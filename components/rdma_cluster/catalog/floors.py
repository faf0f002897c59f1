"""Whether a threshold of bandwidth tells a whole fabric from half of one."""

from .machine import Machine, Threshold


def wire_gbytes(machine: Machine, gpus_per_node: int) -> float | None:
    """Line rate of the rails that a run with so many GPUs a node can use, at least one rail, in GB/s."""
    if machine.nic_gbps is None or not machine.gpus:
        return None
    return max(machine.nic_gbps, machine.nics * machine.nic_gbps * gpus_per_node / machine.gpus) / 8


def passes_with_half_the_rails(threshold: Threshold, machine: Machine) -> bool:
    """Whether a fabric that lost half of its rails could still reach the threshold.

    Half of the rails carry half of the line rate. Where trees and NVLS send fewer bytes than a ring, a whole fabric
    shows more than its line rate, and half a fabric half of that. One rail has no half, and NVLink is no rail.
    """
    wire = wire_gbytes(machine, threshold.gpus_per_node)
    if wire is None or machine.nic_gbps is None or threshold.nvlink or wire * 8 < 2 * machine.nic_gbps:
        return False
    return threshold.busbw_gbytes <= max(wire, threshold.published_gbytes or 0) / 2
