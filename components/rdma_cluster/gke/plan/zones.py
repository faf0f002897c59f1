"""Where a GKE cluster may be, beside the zone of its GPU nodes."""

from ...clouds.google.names import Place
from ...faults import Faults


def check_location(location: str, place: Place, faults: Faults) -> None:
    """A cluster is in the zone of its GPU nodes, or in that zone's region."""
    if place.region and location not in (place.zone, place.region):
        faults.add(f"got {location!r}; the cluster of nodes in {place.zone} is in {place.region} or {place.zone}")
