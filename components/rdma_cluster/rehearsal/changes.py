"""Changes that a stack sees in its life, as ``--set`` values; the first of each that the plan takes is rehearsed."""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

Choice = tuple[str, ...]


def ordinary(pools: Sequence[Mapping[str, Any]]) -> dict[str, list[Choice]]:
    """The changes by name; each a list of choices, since not every stack takes every value."""
    second = {**pools[0], "name": f"{pools[0]['name']}b"} if pools else {}
    spot = {**second, "capacity": {"spot": True}}
    return {
        "nodes": [("pools[0].nodes=4",), ("pools[0].nodes=3",)],
        "a second pool": [(f"pools[{len(pools)}]={_flow(each)}",) for each in (second, spot)],
        "labels": [("pools[0].labels={team: a}",)],
        "pairs": [("claims.pairs=[2]",), ("claims.groups=[1x4]",), ("claims.whole=false",)],
        "namespaces": [("claims.namespaces=[default, team-a]",)],
        "NIC driver": [(f"drivers.nic={each}",) for each in ("existing", "managed", "dranet", "device-plugin")],
        "GPU allocation": [(f"pools[0].gpuAllocation={each}",) for each in ("device-plugin", "dra")],
        "version": [(f"kubernetes.version='{each}'",) for each in ("1.36", "1.35", "1.34")],
        "capacity": [("pools[0].capacity={spot: true}",), ("pools[0].capacity={onDemand: true}",)],
        "acceptance off": [("acceptance.enabled=false",)],
        "acceptance on": [()],
    }


def _flow(value: Any) -> str:
    """A value on one line of YAML."""
    return yaml.safe_dump(value, default_flow_style=True, width=10_000).strip()
