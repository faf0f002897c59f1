"""A file system of Azure Managed Lustre: what is sold, when it is maintained, and the driver that mounts it."""

import re
from collections.abc import Mapping
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import args_schema
from ...catalog import charts, images
from ...incluster.addons.storage.args import StorageKind
from ...incluster.addons.storage.plan import CLAIM
from ...incluster.addons.storage.store import Mounted, Store, check_capacity, check_throughput
from ...incluster.plan.charts import Settings, pinned_image

# learn.microsoft.com/azure/azure-managed-lustre/create-file-system-resource-manager, SKUs (2026-11): by throughput the
# least size, which is also the step, and the largest. At 40 MB/s 768 TiB are sold; subnets' sizes are published to 400.
_STEPS_TIB = {40: (48, 384), 125: (16, 128), 250: (8, 128), 500: (4, 128)}
# github.com/kubernetes-sigs/azurelustre-csi-driver@26f6442 docs/examples/pv.yaml (2026-05).
_OPTIONS = ("noatime", "flock")
_WINDOW = "Sunday 03:00"
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WINDOW_FORM = re.compile(rf"({'|'.join(_DAYS)}) ([01][0-9]|2[0-3]):[0-5][0-9]")
# github.com/kubernetes-sigs/azurelustre-csi-driver@26f6442 deploy/install-driver.sh waits so long for its nodes
# (2026-05).
_DRIVER_SECONDS = 1800


@args_schema
class AksLustre(TypedDict):
    """A file system of Azure Managed Lustre in the GPUs' zone, billed by its size and throughput."""

    capacity_tib: int
    """Size, TiB: a multiple of 4 at 500 MB/s a TiB, of 8 at 250, 16 at 125, up to 128; of 48 at 40, up to 384. It can
    never change."""
    mbps_per_tib: NotRequired[int]
    """Throughput, MB/s for each TiB: 40, 125, 250 or 500. It can never change. Default: 500, of which the least is
    sold."""
    maintenance: NotRequired[str]
    """When Azure may maintain it, for 30 minutes a week: a day, and a time of UTC. Default: ``Sunday 03:00``."""
    deletable: NotRequired[bool]
    """Whether `pulumi destroy` deletes it with all that is in it. Default: false: it is protected, and
    the preview of `destroy` fails."""


@frozen
class AksLustrePlan:
    """A file system of Azure Managed Lustre."""

    capacity_tib: int
    mbps_per_tib: int
    day: str
    """Day of the week on which Azure may maintain it."""
    time: str
    protected: bool

    @property
    def sku(self) -> str:
        """Name under which Azure sells it."""
        return f"AMLFS-Durable-Premium-{self.mbps_per_tib}"

    @property
    def store(self) -> Store:
        """What pods mount."""
        mounted = Mounted("azurelustre.csi.azure.com", _OPTIONS, capacity_gib=self.capacity_tib << 10)
        return Store(StorageKind.LUSTRE, CLAIM, mounted)


def plan_lustre(choice: AksLustre, errors: ErrorList) -> AksLustrePlan | None:
    """The file system that ``choice`` asks for; ``None`` when an error was added."""
    throughput = choice.get("mbps_per_tib", max(_STEPS_TIB))
    check_throughput(throughput, tuple(_STEPS_TIB), errors.at("mbps_per_tib"))
    if throughput in _STEPS_TIB:
        step, most = _STEPS_TIB[throughput]
        check_capacity(choice["capacity_tib"], step, errors.at("capacity_tib"), most=most)
    window = choice.get("maintenance", _WINDOW)
    if not _WINDOW_FORM.fullmatch(window):
        errors.at("maintenance").add(f"got {window!r}; write a day and a time of UTC, e.g. {_WINDOW}")
    if errors:
        return None
    day, _, time = window.partition(" ")
    return AksLustrePlan(choice["capacity_tib"], throughput, day, time, protected=not choice.get("deletable", False))


def lustre_driver(registries: Mapping[str, str]) -> Settings:
    """The chart of Azure's driver, which brings Lustre's client to every Ubuntu node.

    Its pods tolerate the taints of GPU and spot nodes by themselves.
    """
    sidecars = {
        "provisioner": images.AZURE_LUSTRE_PROVISIONER,
        "livenessProbe": images.AZURE_LUSTRE_LIVENESS,
        "nodeDriverRegistrar": images.AZURE_LUSTRE_REGISTRAR,
    }
    values = {
        "image": pinned_image(images.AZURE_LUSTRE_DRIVER, registries),
        "sidecars": {
            name: {key: of for key, of in pinned_image(image, registries).items() if key != "pullPolicy"}
            for name, image in sidecars.items()
        },
    }
    return Settings(charts.AZURE_LUSTRE, "kube-system", values, _DRIVER_SECONDS).mirrored(registries)
