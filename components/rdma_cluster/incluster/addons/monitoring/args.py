"""The user's options for monitoring, and the args of ``Monitoring``."""

from enum import Enum
from typing import NotRequired

from typing_extensions import TypedDict
from ....base.args import Choice, Texts, args_schema
from ...plan.dra_drivers import InstalledBy
from ...plan.pool import InClusterPool


class ExporterBy(str, Enum):
    """Who brings the exporter of the GPUs' figures. The alerts need labels that one of somebody else's lacks."""

    INSTALLED = "installed"
    """This library."""
    MANAGED = "managed"
    """The stack's GPU Operator."""


@args_schema
class MonitoringSettings(TypedDict):
    """Who brings what, and which Prometheus reads it."""

    gpu_exporter: NotRequired[Choice[ExporterBy]]
    """NVIDIA's DCGM exporter. Default: ``installed``; ``managed`` where the stack's GPU Operator brings one."""
    definitions: NotRequired[Choice[InstalledBy]]
    """The Prometheus Operator's kinds ``PodMonitor`` and ``PrometheusRule``; ``existing`` where its chart has brought
    them to the cluster before. Default: ``installed``."""
    labels: NotRequired[Texts]
    """Labels by which your Prometheus selects monitors and rules. Example: ``{"release": "prometheus"}``. Default:
    none."""


@args_schema
class MonitoringOptions(MonitoringSettings):
    """Whether GPUs and NICs are watched."""

    enabled: bool
    """Install exporters, alerts and the dashboard."""


@args_schema
class ExporterPods(TypedDict):
    """Pods of a DCGM exporter that somebody else brings; their port is called ``metrics``."""

    namespace: str
    """Their namespace."""
    labels: dict[str, str]
    """Labels that they have."""
    errors: NotRequired[bool]
    """Whether they publish XIDs and rows that could not be remapped. Default: true."""


@args_schema
class MonitoringArgs(MonitoringSettings):
    """The pools of a cluster whose GPUs and NICs are watched."""

    pools: list[InClusterPool]
    """The pools."""
    pool_label: str
    """Node label that holds a pool's name. Example: ``eks.amazonaws.com/nodegroup``."""
    taint: NotRequired[dict[str, str]]
    """Key and value of the GPU taint: ``{"key": ..., "value": ...}``. Nothing here follows from it."""
    host: str
    """Operating system of the nodes. Known: ``cos``, ``al2023``, ``ubuntu-aks``, ``ubuntu-operator`` and
    ``ubuntu-oke``."""
    managed_exporter: NotRequired[ExporterPods]
    """The exporter that ``gpu_exporter: managed`` stands for. Default: there is none."""
    renew_seconds: NotRequired[int]
    """At which age ``NodeReadiness`` on the same cluster renews the proof of an idle node; 0 is at none. Default: there
    is no ``NodeReadiness``, and no proofs are watched."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold what is fetched, by prefix of its reference: ``{"quay.io": "mirror.example/quay"}``."""
