"""Changes that a stack sees in its life, as ``--set`` values. Of each one that makes a difference is rehearsed."""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

Choice = tuple[str, ...]
VERSIONS: list[Choice] = [
    (f"kubernetes.version='{each}'",) for each in ("1.34", "1.35", "1.36", "1.34.2", "1.35.2", "1.36.1")
]
"""In order; some clouds take a version by its minor, others with its patch."""


def ordinary(pools: Sequence[Mapping[str, Any]]) -> dict[str, list[Choice]]:
    """The changes by name; each a list of choices, since not every stack takes every value."""
    second = {**pools[0], "name": f"{pools[0]['name']}b"} if pools else {}
    spot = {**second, "capacity": {"spot": True}}
    # What else the first pool says can be its own alone.
    bare = {key: second[key] for key in ("name", "machine", "nodes", "capacity", "image", "mode") if key in second}
    return {
        "nodes": [("pools[0].nodes=4",), ("pools[0].nodes=3",)],
        "a second pool": [
            (f"pools[{len(pools)}]={_flow(each)}", *further)
            for each in (second, spot, bare)
            for further in ((), (f"inference.pool={pools[0]['name']}",) if pools else ())
        ],
        "labels": [("pools[0].labels={team: a}",)],
        "pairs": [("claims.pairs=[2]",), ("claims.groups=[1x4]",), ("claims.whole=false",)],
        "namespaces": [("claims.namespaces=[default, team-a]",)],
        "NIC driver": [(f"drivers.nic={each}",) for each in ("existing", "managed", "dranet", "device-plugin")],
        "GPU allocation": [(f"pools[0].gpuAllocation={each}",) for each in ("device-plugin", "dra")],
        "capacity": [(f"pools[0].capacity={{{each}: true}}",) for each in ("spot", "onDemand", "dedicated")],
        "acceptance off": [("acceptance.enabled=false",)],
        "acceptance on": [()],
    }


def _flow(value: Any) -> str:
    """A value on one line of YAML."""
    return yaml.safe_dump(value, default_flow_style=True, width=10_000).strip()
