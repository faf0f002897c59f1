"""Compute Engine: networks."""

from ...catalog.machine import Source
from .forms import between
from .record import Rule

_API = "2026-11-06"


def _model(place: str) -> Source:
    return Source(f"compute.v1 {place}", _API)


RULES: dict[str, tuple[Rule, ...]] = {
    "gcp:compute/network:Network": (
        Rule(
            words="minimum value for this field is 1300 and the maximum value is 8896",
            source=_model("Network.mtu"),
            check=between("mtu", 1300, 8896),
            accepted={"mtu": 8896},
            refused={"mtu": 9000},
        ),
    ),
}
