"""Upgrades of plain machines on Google Cloud: none is made in place."""

from pulumi_offline.immutable import fixed
from ...catalog import gce_image
from ...catalog.gke_releases import TCPX
from ...catalog.machine import Source
from ...upgrades.record import ONE_PLUGIN, OTHER_MACHINE, Cell, CloudUpgrades, Outcome, Part, installed

_INSTANCE = fixed("gcp:compute/instance:Instance")
_FIXED = _INSTANCE.source if _INSTANCE else Source("catalog/immutable has no instance", "2026-11-23")


def _refused(words: str, source: Source) -> Cell:
    return Cell(Outcome.REFUSED, words, source)


_NONE = "plain machines have no Kubernetes"

UPGRADES = CloudUpgrades(
    "Compute Engine",
    "",
    {
        Part.KUBERNETES: _refused(_NONE, _FIXED),
        Part.NODE_IMAGE: _refused(
            "a machine keeps its boot image for life: with another `image` one `up` makes all machines anew, at once",
            _FIXED,
        ),
        Part.DRIVER: _refused(
            "a machine has the driver that its image chooses; it stays with it", gce_image.COS.source
        ),
        Part.DRA_DRIVER: _refused(_NONE, _FIXED),
        Part.NCCL_PLUGIN: installed("GPUDirect-TCPX", TCPX.plugin.version, ONE_PLUGIN, TCPX.plugin.source),
        Part.IN_CLUSTER: _refused(_NONE, _FIXED),
        Part.MACHINE: _refused(OTHER_MACHINE, _FIXED),
    },
)
