"""Add-ons: parts of a stack that its user switches on, each in a folder of its own.

A new add-on is a folder, and in this file a key of ``AddOnArgs`` and a field of ``Addons``, both of the folder's name.
In the folder, ``add_on.py`` holds the record ``ADD_ON``, and ``component.py`` a function ``install``. ``storage`` is
no add-on: each cloud has storage of its own.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NotRequired

from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import args_schema
from .inference.args import InferenceOptions
from .injection.args import InjectionOptions
from .monitoring.args import MonitoringOptions
from .queues.args import QueueOptions
from .readiness.args import ReadinessOptions

if TYPE_CHECKING:
    from ..plan.context import Part
    from .inference.plan import InferencePlan
    from .injection.plan import InjectionPlan
    from .monitoring.plan import MonitoringPlan
    from .queues.plan import QueuesPlan
    from .readiness.plan import ReadinessPlan


@args_schema
class AddOnArgs(TypedDict):
    """What a user switches on, in the same words on every cloud."""

    injection: NotRequired[InjectionOptions]
    """Whether pods that only ask for GPUs are given the fabric at admission. Default: they are not."""
    queues: NotRequired[QueueOptions]
    """Whether jobs wait in queues that know GPUs, NICs and the network. Default: there are none."""
    inference: NotRequired[InferenceOptions]
    """A model that is served from several nodes once the fabric is proved. Default: none."""
    monitoring: NotRequired[MonitoringOptions]
    """Whether GPUs and NICs are watched: exporters, alerts, a dashboard. Default: they are not."""
    readiness: NotRequired[ReadinessOptions]
    """Whether a node takes work only while its fabric is proven. Default: it takes some as soon as it is Ready."""


@frozen
class Addons:
    """The add-ons of a stack, planned; each is ``None`` where the user has not switched it on."""

    injection: "Part[InjectionOptions, InjectionPlan] | None" = None
    queues: "Part[QueueOptions, QueuesPlan] | None" = None
    inference: "Part[InferenceOptions, InferencePlan] | None" = None
    monitoring: "Part[MonitoringOptions, MonitoringPlan] | None" = None
    readiness: "Part[ReadinessOptions, ReadinessPlan] | None" = None
    warnings: tuple[str, ...] = ()


def is_enabled(options: Mapping[str, Any] | None) -> bool:
    """Whether the user switches an add-on on; one whose options have no key ``enabled`` is on where it is named."""
    return options is not None and options.get("enabled", True)
