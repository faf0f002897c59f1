"""The discovery documents refuse wrong requests, and none of ours."""

import json
from typing import Any

import pytest
from tests.clouds import CloudTests, each_graph
from tests.google_api.asking import CLUSTER, CLUSTERS, COMPUTE, NETWORK, REGION, Client
from tests.stacks import graph_of
from tools.api.request import request_of
from tools.api.tables import tables
from tools.google_server.documents import document
from tools.google_server.judge import against_body


@pytest.mark.parametrize(
    ("verb", "address", "body", "says"),
    [
        (
            "POST",
            CLUSTERS,
            {"cluster": {"nodeConfig": {"machine": "a4"}}},
            "Unknown name \"machine\" at 'cluster.node_config': Cannot find field.",
        ),
        (
            "POST",
            CLUSTERS,
            {"cluster": {"initialNodeCount": "many"}},
            "'cluster.initial_node_count' (TYPE_INT32), \"many\"",
        ),
        ("POST", CLUSTERS, {"cluster": {"nodePools": {}}}, "'cluster.node_pools' (TYPE_ARRAY), {}"),
        ("POST", CLUSTERS, {"cluster": {"resourceLabels": {"a": 1}}}, "'cluster.resource_labels[a]' (TYPE_STRING), 1"),
        ("POST", CLUSTERS, {"cluster": {"networkConfig": {"datapathProvider": "X"}}}, '(TYPE_ENUM), "X"'),
        ("POST", f"{CLUSTERS}?force=1", {"cluster": {}}, 'Unknown name "force": Cannot bind query parameter.'),
        ("POST", f"{COMPUTE}/global/networks", {"mtu": 1500}, "Required field 'name' not specified"),
        ("POST", f"{COMPUTE}/global/networks", {**NETWORK, "name": "N_1"}, "'N_1'. Must be a match of regex"),
        ("DELETE", f"{COMPUTE}/global/networks/n", {"force": True}, 'Unknown name "force"'),
    ],
)
def test_a_wrong_request_is_refused_in_the_words_of_the_api(verb: str, address: str, body: dict[str, Any], says: str):
    """It is told at the end, too."""
    client = Client()

    status, _, message = client.refused(verb, address, body)

    assert status == 400 and says in message
    assert len(client.apis.wrong) == 1 and says in client.apis.wrong[0]


@pytest.mark.parametrize(
    "body",
    [
        {"cluster": {**CLUSTER, "resourceLabels": {"a.b/c": "d"}}},
        {"cluster": {"currentNodeCount": "4", "conditions": None}},  # a number as text, and a field of nothing
    ],
)
def test_a_right_request_is_let_through_in_each_spelling(body: dict[str, Any]):
    described = document("container.v1beta1")
    assert described is not None
    found = described.method("POST", "v1beta1/projects/p/locations/l/clusters")
    assert found is not None

    assert list(against_body(described, found[0], body)) == []


REQUESTS = {
    "gcp:compute/firewall:Firewall": f"{COMPUTE}/global/firewalls",
    "gcp:compute/network:Network": f"{COMPUTE}/global/networks",
    "gcp:compute/subnetwork:Subnetwork": f"{REGION}/subnetworks",
    "gcp:compute/router:Router": f"{REGION}/routers",
    "gcp:compute/resourcePolicy:ResourcePolicy": f"{REGION}/resourcePolicies",
    "gcp:compute/instance:Instance": f"{COMPUTE}/zones/us-west8-c/instances",
    "gcp:container/cluster:Cluster": CLUSTERS,
    "gcp:container/nodePool:NodePool": f"{CLUSTERS}/c/nodePools",
}
"""The address at which each resource type is made."""
_WRAPPED = {"gcp:container/cluster:Cluster": "cluster", "gcp:container/nodePool:NodePool": "nodePool"}


@pytest.mark.parametrize(("cloud", "graph"), each_graph("gce", "gke"))
def test_the_documents_of_the_provider_take_every_stack(cloud: CloudTests, graph: str):
    """The provider asks the beta versions, of which `tools/api` knows nothing."""
    wrong = []
    for resource in graph_of(*cloud.graphs[graph]).resources:
        if (address := REQUESTS.get(resource.type)) is None:
            continue
        request = json.loads(json.dumps(request_of(tables()[resource.type], resource.inputs)))
        key = _WRAPPED.get(resource.type)
        host, _, path = address.partition("/")
        described = document("compute.beta" if host.startswith("compute") else "container.v1beta1")
        assert described is not None
        found = described.method("POST", path.removeprefix(described.base))
        assert found is not None
        body = {key: request} if key else request
        # What the offline preview fills in for outputs has no form.
        wrong += [
            each for each in against_body(described, found[0], body) if "[" not in each and ".invalid" not in each
        ]

    assert wrong == []
