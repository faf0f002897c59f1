"""Changes of a living stack, as ``--set`` values. Of each, the first value that makes a difference is rehearsed."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import yaml
from pulumi_offline.errors import Refused
from pulumi_offline.project import Settings
from rdma_cluster.base.config import CLOUD
from rdma_cluster.common.stack import summarise_stack
from rdma_cluster.common.summary import Summary

Configure = Callable[[Sequence[str]], Settings]
"""The stack's settings with ``--set`` values laid over them. Raises ``Refused``."""
Choice = tuple[str, ...]
VERSIONS = [(f"kubernetes.version='{each}'",) for each in ("1.34", "1.35", "1.36", "1.34.2", "1.35.2", "1.36.1")]
"""In order; some clouds take a version by its minor, others with its patch."""


_MODEL = "model: meta-llama/Llama-3.1-405B-Instruct"
ADD_ONS: Mapping[str, list[Choice]] = {
    "storage": [
        *((f"storage={{lustre: {{capacityGib: {each}}}}}",) for each in (4800, 9000)),
        ("storage={container: {}}",),
        ("storage={lustre: {capacityGb: 31200}}",),
        ("storage={lustre: {capacityTib: 16}}",),
        ("storage={existing: {claim: data}}",),
    ],
    "inference": [
        (f"inference={{{_MODEL}}}",),
        (f"inference={{{_MODEL}, weights: {{claim: weights}}}}",),
        (f"inference={{{_MODEL}, image: 'example.com/vllm:1'}}",),
    ],
    "queues": [("queues={enabled: true}",)],
    "monitoring": [("monitoring={enabled: true}",)],
    # Native policies want a newer Kubernetes than some stacks have, and few clusters go back to an older one.
    "injection": [("injection={enabled: true}",), ("injection={enabled: true, engine: kyverno}",)],
}
"""What a user switches on and off, by name; each a list of choices, since not every stack takes every value."""


def ordinary(pools: Sequence[Mapping[str, Any]]) -> dict[str, list[Choice]]:
    """The changes by name; each a list of choices, since not every stack takes every value."""
    second = {**pools[0], "name": f"{pools[0]['name']}b"} if pools else {}
    spot = {**second, "capacity": {"spot": True}}
    # The other keys of the first pool may be possible for one pool only.
    bare = {key: second[key] for key in ("name", "machine", "nodes", "capacity", "image", "mode") if key in second}
    return {
        "nodes": [("pools[0].nodes=4",), ("pools[0].nodes=3",)],
        "a second pool": [
            (f"pools[{len(pools)}]={yaml.safe_dump(each, default_flow_style=True, width=10_000).strip()}", *further)
            for each in (second, spot, bare)
            for further in ((), (f"inference.pool={pools[0]['name']}",) if pools else ())
        ],
        "labels": [("pools[0].labels={team: a}",)],
        "pairs": [("claims.pairs=[2]",), ("claims.groups=[1x4]",), ("claims.whole=false",)],
        "node version": [
            *((f"pools[0].nodeVersion='{each}'",) for each in ("1.35.2-gke.1842000", "1.35")),
            ("pools[0].releaseVersion=1.35.0-20260801",),
        ],
        "namespaces": [("claims.namespaces=[default, team-a]",)],
        "NIC driver": [(f"drivers.nic={each}",) for each in ("existing", "managed", "dranet", "device-plugin")],
        "GPU allocation": [(f"pools[0].gpuAllocation={each}",) for each in ("device-plugin", "dra")],
        "capacity": [(f"pools[0].capacity={{{each}: true}}",) for each in ("spot", "onDemand", "dedicated")],
        "readiness": [("readiness={enabled: true}",)],
        "acceptance off": [("acceptance.enabled=false",)],
        "acceptance on": [()],
    }


class Chosen(NamedTuple):
    """One of several values."""

    choice: Choice
    settings: Settings
    refused: Refused | None = None
    """Why the plan takes none of them."""


def choose(configure: Configure, choices: Sequence[Choice]) -> Chosen:
    """The first choice that makes a difference; else one that the plan takes; else the first, and its refusal."""
    base, tried = planned(configure(())), _tried(configure, choices)
    taken = [each for each in tried if each.refused is None]
    return next((each for each in taken if planned(each.settings) != base), [*taken, *tried][0])


def switched_on(configure: Configure, choices: Sequence[Choice]) -> Chosen:
    """The first choice that the plan takes, whose summary need not show it; else the first, and its refusal."""
    tried = _tried(configure, choices)
    return next((each for each in tried if each.refused is None), tried[0])


def around(configure: Configure) -> tuple[Choice | None, Choice | None]:
    """The versions before and after the stack's own, where the plan takes one."""
    own = _version(configure(()))
    known = [(_version(configure(each)), each) for each in VERSIONS]
    older = [choice for version, choice in known if () < version < own]
    newer = [choice for version, choice in known if own < version]
    return older[-1] if older else None, newer[0] if newer else None


def _tried(configure: Configure, choices: Sequence[Choice]) -> list[Chosen]:
    """Those that the stack has not already, if there are such."""
    base = configure(()).config
    settings = [(each, configure(each)) for each in choices]
    different = [(each, of) for each, of in settings if of.config != base] or settings
    return [Chosen(each, of, _refusal(of)) for each, of in different]


def _refusal(settings: Settings) -> Refused | None:
    try:
        planned(settings)
    except Refused as refused:
        return refused
    return None


def planned(settings: Settings) -> Summary:
    """The summary of a stack's plan. Raises ``Refused``."""
    return summarise_stack(settings.config[CLOUD], settings.config, settings.stack)


def _version(settings: Settings) -> tuple[int, ...]:
    """The cluster's; nothing where there is no cluster, or the plan refuses it."""
    try:
        (cluster,) = planned(settings).to_dict()["cluster"]
    except Refused:
        return ()
    return tuple(int(each) for each in cluster.get("version", "").split(".") if each)
