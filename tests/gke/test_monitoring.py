"""Two exporters of GPUs on GKE: Google's and ours."""

from tests.gke.changes import WATCHED
from tests.stacks import graph_of


def test_gkes_exporter_makes_room_for_ours():
    """Two on a node ask the GPUs for the same counters; without monitoring Google's own dashboards are served."""
    components = {
        name: graph.one("gcp:container/cluster:Cluster", "gke").inputs["monitoringConfig"]["enableComponents"]
        for name, graph in (("alone", graph_of("gke")), ("watched", graph_of("gke", *WATCHED)))
    }

    assert "DCGM" in components["alone"] and "DCGM" not in components["watched"]
    assert set(components["alone"]) - set(components["watched"]) == {"DCGM"}
