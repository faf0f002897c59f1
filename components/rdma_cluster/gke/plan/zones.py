"""Where a GKE cluster may be, beside the zone of its GPU nodes."""

from ...faults import Faults


def check_location(location: str, zone: str, region: str | None, faults: Faults) -> None:
    """Where the cluster of nodes in ``zone`` may be."""
    if region is not None and location not in (zone, region):
        faults.add(f"got {location!r}; the cluster of nodes in {zone} is in {region} or {zone}")
