"""The dashboard of the fabric, as Grafana reads it."""

import json
from typing import Any

import yaml
from rdma_cluster.incluster.addons.monitoring.dashboard import dashboard
from tests.incluster.pools import GIB, NAMED


def board(*, proofs: bool) -> dict[str, Any]:
    """The dashboard of two pools."""
    return json.loads(dashboard([GIB, NAMED], ["A", "B", "A"], proofs=proofs))


SOURCE = {"type": "prometheus", "uid": "${source}"}


def test_the_dashboard():
    """As Grafana reads it: its two variables, and panels side by side in rows, each known by a number."""
    made = board(proofs=True)
    panels = made.pop("panels")

    assert made == yaml.safe_load("""
        uid: rdma-cluster-fabric
        title: RDMA fabric
        tags: [rdma-cluster]
        schemaVersion: 39
        refresh: 30s
        time: {from: now-1h, to: now}
        templating:
          list:
          - {name: source, label: Prometheus, type: datasource, query: prometheus}
          - name: pool
            label: Pool
            type: custom
            multi: true
            includeAll: true
            current: {text: All, value: $__all}
            query: gib,named
        """)
    assert [each["id"] for each in panels] == list(range(1, 12))
    assert all(each["datasource"] == SOURCE for each in panels)
    # Two of a row share its width and touch.
    assert [(each["gridPos"]["x"], each["gridPos"]["w"]) for each in panels] == [
        *[(0, 24), (0, 24), (0, 12), (12, 12), (0, 12), (12, 12), (0, 24), (0, 12), (12, 12), (0, 24), (0, 24)]
    ]
    rows = [each["gridPos"]["y"] for each in panels]
    assert rows == [9 * row for row in (0, 1, 2, 2, 3, 3, 4, 5, 5, 6, 7)]
    assert {each["gridPos"]["h"] for each in panels} == {9}
    assert [each["title"] for each in board(proofs=False)["panels"]] == [
        title for title in (each["title"] for each in panels) if "proof" not in title
    ]


def test_what_the_panels_ask():
    """Tables ask for now, lines for all the time, each in its unit; a rail is a column of a matrix."""
    asked = {
        each["title"].partition(",")[0]: (
            each["type"],
            each["targets"][0]["expr"],
            each["targets"][0].get("legendFormat", each["targets"][0].get("format")),
            each["fieldConfig"]["defaults"].get("unit"),
        )
        for each in board(proofs=True)["panels"]
    }
    sent, received = (f'rdma_cluster:rail_{way}_bytes:rate2m{{pool=~"$pool"}}' for way in ("transmitted", "received"))
    faults = asked.pop("Faults of nodes: 1 is a fault")

    assert asked == {
        "Links: 1 is up": ("table", 'rdma_cluster:rail_active{pool=~"$pool"}', "table", "none"),
        "Transmitted by rail": ("table", sent, "table", "Bps"),
        "Transmitted": ("timeseries", f"sum by (rail) ({sent})", "rail {{rail}}", "Bps"),
        "Received": ("timeseries", f"sum by (rail) ({received})", "rail {{rail}}", "Bps"),
        "Nodes' slowest rail against their fastest": (
            "timeseries",
            f"min by (node) ({sent}) / (max by (node) ({sent}) > 1e9)",
            "{{node}}",
            "percentunit",
        ),
        "GPUs in use": ("timeseries", 'avg by (node) (DCGM_FI_DEV_GPU_UTIL{pool=~"$pool"})', "{{node}}", "percent"),
        "Nodes by proof: 1 is proven": (
            "table",
            'max by (pool, node, reason) (rdma_cluster_node_proven{pool=~"$pool"})',
            "table",
            None,
        ),
        "Busbw of the last proof": (
            "timeseries",
            'max by (pool, node) (rdma_cluster_node_proof_busbw_gbytes{pool=~"$pool"})',
            "{{node}}",
            "none",
        ),
        "Age of the last proof": (
            "timeseries",
            'max by (pool, node) (rdma_cluster_node_proof_age_seconds{pool=~"$pool"})',
            "{{node}}",
            "s",
        ),
        "Alerts": ("table", 'ALERTS{alertstate="firing",alertname=~"A|B"}', "table", None),
    }
    assert faults[0] == "table" and faults[1].endswith(',status="true"}) == 1') and "GpuLost|" in faults[1]


def test_how_panels_look():
    """A link that is down is red; what is more is darker; a rail that a node has not is empty."""
    links, bytes_, lines = board(proofs=False)["panels"][:3]
    cell = {"cellOptions": {"type": "color-background"}, "align": "center"}
    steps = [{"color": "red", "value": None}, {"color": "green", "value": 1}]

    assert links["fieldConfig"] == {
        "overrides": [],
        "defaults": {"unit": "none", "decimals": 0, "thresholds": {"mode": "absolute", "steps": steps}, "custom": cell},
    }
    assert bytes_["fieldConfig"]["defaults"] == {"unit": "Bps", "color": {"mode": "continuous-BlPu"}, "custom": cell}
    assert links["transformations"] == [
        {
            "id": "groupingToMatrix",
            "options": {"columnField": "rail", "rowField": "node", "valueField": "Value", "emptyValue": "empty"},
        }
    ]
    assert links["targets"][0] == {
        "expr": 'rdma_cluster:rail_active{pool=~"$pool"}',
        "refId": "A",
        "datasource": SOURCE,
        "format": "table",
        "instant": True,
    }
    assert "transformations" not in lines
