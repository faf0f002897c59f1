"""Which plan belongs to which cloud: with ``__main__.py`` the only place that asks."""

from collections.abc import Mapping
from importlib import import_module

from ..config import plan_stack
from ..offline.project import Settings
from ..reference import Key, stack_keys
from ..summary import Summary
from .stack_file import cloud_of

_PLANS: Mapping[str, str] = {"eks": "rdma_cluster.eks.plan", "gke": "rdma_cluster.gke.plan"}
CLOUDS = tuple(_PLANS)


def summarise_stack(settings: Settings) -> Summary:
    """The plan of a stack. Raises ``Refused`` with every fault."""
    plans = import_module(_PLANS[cloud_of(settings, list(_PLANS))])
    plan = plan_stack(
        settings.config, plans.STACK_KEYS, lambda args: plans.plan_rdma_cluster(args, settings.stack, camel=True)
    )
    return plans.summarise(plan)


def keys_of(cloud: str) -> tuple[Key, ...]:
    """What may stand in a stack file of a cloud."""
    plans = import_module(_PLANS[cloud])
    return stack_keys(plans.STACK_ARGS, plans.STACK_KEYS, plans.EXAMPLE)


def title_of(cloud: str) -> str:
    """A cloud's name as its components begin: ``Gke``."""
    return cloud.capitalize()
