"""The readers of the clouds' models find what is known of an API from elsewhere."""

import pytest
from tools.api import amazon, azure, google, oci
from tools.api.model import Member, Shape
from tools.api.request import Table, errors

READERS = {
    "google": lambda: google.schema("container.v1", "NodePool"),
    "amazon": lambda: amazon.operation("eks", "CreateNodegroup"),
    "azure": lambda: azure.model("containerservice", "ManagedClusterAgentPoolProfileProperties"),
    "azure, older": lambda: azure.model("msi", "Identity"),
    "oracle": lambda: oci.model("container_engine", "CreateNodePoolDetails"),
}


RENAMED = {"nodeConfig": "config", "cidr": "/networkConfig.podIpv4CidrBlock"}
TABLES = {
    "pool": lambda: Table("gcp:container/nodePool:NodePool", READERS["google"](), renamed=RENAMED),
    "group": lambda: Table("aws:eks/nodeGroup:NodeGroup", READERS["amazon"]()),
    "limited": lambda: Table("a:b:C", LIMITED),
}
GOOD_GROUP = {"clusterName": "c", "nodegroupName": "n", "nodeRole": "r", "subnets": ["s"]}
LIMITED = Shape("object", "C", lambda: {"name": Member(Shape("string", pattern="[a-z]+", least=2, most=3))})


@pytest.mark.parametrize(
    ("table", "inputs", "says"),
    [
        ("pool", {"nodeConfig": {"machine": "a4"}}, "NodePool.config.machine: NodeConfig has no such field"),
        ("pool", {"placementPolicy": {"type": "SPREAD"}}, "'SPREAD' is none of TYPE_UNSPECIFIED, COMPACT"),
        ("pool", {"initialNodeCount": "many"}, "'many' is no integer"),
        ("pool", {"nodeConfig": {"spot": "yes"}}, "'yes' is no boolean"),
        ("pool", {"nodeConfig": ["x"]}, "['x'] is no object"),
        ("pool", {"locations": "us-west8-c"}, "'us-west8-c' is no list"),
        ("pool", {"nodeConfig": {"labels": {"a.b/c": 1}}}, "NodePool.config.labels[a.b/c]: 1 is no string"),
        ("pool", {"selfLink": "x"}, "NodePool.selfLink is an output"),
        ("pool", {"statusMessage": "x"}, "NodePool.statusMessage is deprecated"),
        ("pool", {"cidr": 1}, "NodePool.networkConfig.podIpv4CidrBlock: 1 is no string"),
        ("group", {**GOOD_GROUP, "taints": [{"key": ""}]}, "NodeGroup.taints[0].key: 0 is less than 1"),
        ("group", {"clusterName": "c"}, "NodeGroup.nodeRole: required by CreateNodegroupRequest"),
        ("limited", {"name": "abcd"}, "C.name: 4 is more than 3"),
        ("limited", {"name": "ab1"}, "C.name: 'ab1' is not of the form [a-z]+"),
    ],
)
def test_a_wrong_request_is_found_at_its_place(table: str, inputs: dict[str, object], says: str):
    assert any(says in error for error in errors(TABLES[table](), inputs))


@pytest.mark.parametrize(
    ("table", "inputs"),
    [
        ("pool", {"name": "a", "nodeConfig": {"labels": {"a.b/c": "d"}, "spot": True}, "locations": ["us-west8-c"]}),
        ("pool", {"initialNodeCount": "[id of gcp:x/y:Z name]"}),  # known to the engine alone
        ("group", {**GOOD_GROUP, "taints": [{"key": "k", "effect": "NO_SCHEDULE"}]}),
    ],
)
def test_a_right_request_is_let_through(table: str, inputs: dict[str, object]):
    """Some values are not known before the resource is made."""
    assert list(errors(TABLES[table](), inputs)) == []
