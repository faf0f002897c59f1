"""The dashboard of the fabric: rails by nodes, as Grafana's JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rdma_agent.names import NODE_PROVEN, PROOF_AGE, PROOF_BUSBW
from ....catalog.faults import WATCHED
from ...plan.pool import GpuPool
from .alert_rules import ACTIVE, RECEIVED, TRANSMITTED

FILE = "rdma-fabric.json"
_SOURCE = {"type": "prometheus", "uid": "${source}"}
_FAULTS = (
    "max by (node, condition) (kube_node_status_condition"
    f'{{condition=~"{"|".join(fault.condition for fault in WATCHED)}",status="true"}}) == 1'
)
_OF_POOL = '{pool=~"$pool"}'
_WIDTH, _HEIGHT = 24, 9


def dashboard(pools: Sequence[GpuPool], alerts: Sequence[str], *, proofs: bool) -> str:
    """The dashboard as text; ``alerts`` are the names of ours; ``proofs``: a prover tells of some."""
    rows = [
        [_matrix("Links: 1 is up", f"{ACTIVE}{_OF_POOL}", _LINKS)],
        [_matrix("Transmitted by rail", f"{TRANSMITTED}{_OF_POOL}", _BYTES)],
        [
            _lines("Transmitted, all nodes of a rail", f"sum by (rail) ({TRANSMITTED}{_OF_POOL})", "rail {{rail}}"),
            _lines("Received, all nodes of a rail", f"sum by (rail) ({RECEIVED}{_OF_POOL})", "rail {{rail}}"),
        ],
        [
            # Rails of one job carry the same: a rail behind its fellows is one that limps.
            _lines(
                "Nodes' slowest rail against their fastest",
                f"min by (node) ({TRANSMITTED}{_OF_POOL}) / (max by (node) ({TRANSMITTED}{_OF_POOL}) > 1e9)",
                "{{node}}",
                unit="percentunit",
            ),
            _lines("GPUs in use", f"avg by (node) (DCGM_FI_DEV_GPU_UTIL{_OF_POOL})", "{{node}}", unit="percent"),
        ],
        *(_of_proofs() if proofs else []),
        [_table("Faults of nodes: 1 is a fault", _FAULTS, {})],
        [_table("Alerts", f'ALERTS{{alertstate="firing",alertname=~"{"|".join(dict.fromkeys(alerts))}"}}', {})],
    ]
    text = {
        "uid": "rdma-cluster-fabric",
        "title": "RDMA fabric",
        "tags": ["rdma-cluster"],
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": [_SOURCES, {**_POOLS, "query": ",".join(pool.name for pool in pools)}]},
        "panels": _placed(rows),
    }
    return json.dumps(text, indent=1, sort_keys=True) + "\n"


def _of_proofs() -> list[list[dict[str, Any]]]:
    """What each node has shown of its fabric, how well, and how long ago."""
    busbw, age = (f"max by (pool, node) ({metric}{_OF_POOL})" for metric in (PROOF_BUSBW, PROOF_AGE))
    return [
        [_table("Nodes by proof: 1 is proven", f"max by (pool, node, reason) ({NODE_PROVEN}{_OF_POOL})", {})],
        [
            _lines("Busbw of the last proof, GB/s", busbw, "{{node}}", unit="none"),
            _lines("Age of the last proof", age, "{{node}}", unit="s"),
        ],
    ]


_SOURCES = {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}
_POOLS = {
    "name": "pool",
    "label": "Pool",
    "type": "custom",
    "multi": True,
    "includeAll": True,
    "current": {"text": "All", "value": "$__all"},
}
_LINKS = {
    "unit": "none",
    "decimals": 0,
    "thresholds": {"mode": "absolute", "steps": [{"color": "red", "value": None}, {"color": "green", "value": 1}]},
}
_BYTES = {"unit": "Bps", "color": {"mode": "continuous-BlPu"}}


def _matrix(title: str, expression: str, unit: Mapping[str, Any]) -> dict[str, Any]:
    """One row a node, one column a rail."""
    cell = {"custom": {"cellOptions": {"type": "color-background"}, "align": "center"}}
    by_rail = {"columnField": "rail", "rowField": "node", "valueField": "Value", "emptyValue": "empty"}
    table = _table(title, expression, {**unit, **cell})
    return {**table, "transformations": [{"id": "groupingToMatrix", "options": by_rail}]}


def _table(title: str, expression: str, defaults: Mapping[str, Any]) -> dict[str, Any]:
    target = {**_target(expression), "format": "table", "instant": True}
    return {"title": title, "type": "table", "targets": [target], **_field_config(defaults)}


def _lines(title: str, expression: str, legend: str, unit: str = "Bps") -> dict[str, Any]:
    target = {**_target(expression), "legendFormat": legend}
    return {"title": title, "type": "timeseries", "targets": [target], **_field_config({"unit": unit})}


def _field_config(defaults: Mapping[str, Any]) -> dict[str, Any]:
    return {"fieldConfig": {"defaults": defaults, "overrides": []}}


def _target(expression: str) -> dict[str, Any]:
    return {"expr": expression, "refId": "A", "datasource": _SOURCE}


def _placed(rows: Sequence[Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Panels side by side in rows of one height."""
    panels = []
    for y, row in enumerate(rows):
        width = _WIDTH // len(row)
        for x, panel in enumerate(row):
            position = {"x": x * width, "y": y * _HEIGHT, "w": width, "h": _HEIGHT}
            panels.append({**panel, "id": len(panels) + 1, "datasource": _SOURCE, "gridPos": position})
    return panels
