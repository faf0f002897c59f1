"""Every right of every graph has a reason, and every reason a right."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from pulumi_offline import Graph
from rdma_cluster.catalog import charts as catalogue
from rdma_cluster.catalog.artifact import Chart
from docs.generate import SECURITY, security
from tests.clouds import CloudTests, clouds, with_all_graphs
from tests.policies.breaking import Data
from tests.policies.common import ROLE, add
from tests.rights import kubernetes
from tests.rights.charts import can_harm, recorded
from tests.rights.right import Reason, Right, reasons, without_reason, without_right
from tests.stacks import graph_of

TESTS = Path(__file__).parents[1]
EACH_CLOUD = pytest.mark.parametrize("cloud", with_all_graphs())


def own_reasons(cloud: CloudTests) -> tuple[Reason, ...]:
    """Those of the cloud's own rights."""
    return reasons(TESTS / cloud.name / "rights.yaml")


@cache
def rights_inside(cloud: CloudTests) -> frozenset[Right]:
    """Inside of every cluster of the cloud."""
    return frozenset(right for args in cloud.graphs.values() for right in kubernetes.rights(graph_of(*args)))


@EACH_CLOUD
def test_rights_in_the_cloud_have_reasons(cloud: CloudTests):
    """Identities, roles, openings: what a stack gives is in the list, and the list has nothing that no stack gives."""
    given = {right for args in cloud.graphs.values() for right in cloud.rights(graph_of(*args))}

    assert list(without_reason(sorted(given), own_reasons(cloud))) == []
    assert list(without_right(own_reasons(cloud), given)) == []


@EACH_CLOUD
def test_rights_inside_have_reasons(cloud: CloudTests):
    """Accounts, pods and charts."""
    assert list(without_reason(sorted(rights_inside(cloud)), reasons(kubernetes.REASONS))) == []


@pytest.mark.variant
def test_reasons_inside_have_rights():
    """What no graph of any cloud gives any more needs no reason."""
    given = {right for cloud in clouds() for right in rights_inside(cloud)}

    assert list(without_right(reasons(kubernetes.REASONS), given)) == []


def copied(stack: str) -> Data:
    """A graph that may be changed: the other one is shared."""
    return json.loads(json.dumps(graph_of(stack).to_dict()))


def with_role(rule: dict[str, list[str]]) -> Graph:
    """A graph in which an account has a role with one rule more than ours."""
    data = copied("gke")
    named = {"name": "more", "namespace": "default"}
    add(data, ROLE, metadata=named, rules=[rule])
    bound = {"roleRef": {"kind": "Role", "name": "more"}, "subjects": [{"name": "somebody"}]}
    add(data, ROLE + "Binding", metadata=named, **bound)
    return Graph.from_dict(data)


def test_a_right_without_a_reason_is_seen():
    """In its words."""
    graph = with_role({"apiGroups": [""], "resources": ["secrets"], "verbs": ["list", "get"]})

    found = list(without_reason(kubernetes.rights(graph), reasons(kubernetes.REASONS)))

    assert found == [Right("somebody", "get, list secrets", "default")]


def privileged() -> Iterator[Right]:
    """A pod that has all of its node."""
    container = {"name": "c", "image": "i:1", "securityContext": {"privileged": True, "capabilities": {"add": ["BPF"]}}}
    mounts = [{"name": "v", "mountPath": "/v"}]
    pod = {
        "hostPID": True,
        "containers": [{**container, "volumeMounts": mounts}],
        "volumes": [{"name": "v", "hostPath": {"path": "/etc"}}],
    }
    spec = {"template": {"spec": pod}}
    return kubernetes.of_manifests([{"kind": "DaemonSet", "metadata": {"name": "d"}, "spec": spec}])


def test_what_a_pod_has_of_its_node_is_seen():
    """Namespaces, folders, capabilities, and an image that may change below its tag."""
    assert list(privileged()) == [
        Right("d", "hostPID", "its node"),
        Right("d: c", "privileged, by an image known by its tag alone", "its node"),
        Right("d: c", "BPF", "itself"),
        Right("d: c", "writes", "host /etc"),
    ]
    assert list(without_reason(privileged(), reasons(kubernetes.REASONS))) == list(privileged())


def test_a_reason_without_a_right_is_seen():
    """It would stand in docs/security.md for ever."""
    old = Reason("nobody", "get pods", "the cluster", "as ever")

    assert list(without_right([old], [Right("somebody", "get pods", "the cluster")])) == [old]


def test_brackets_and_stars_in_names():
    """A star is any text, all other letters are themselves."""
    reason = Reason("pool [a]", "get *", "x", "y")

    assert reason.is_of(Right("pool [a]", "get pods", "x"))
    assert not reason.is_of(Right("pool a", "get pods", "x"))


@pytest.mark.parametrize(
    ("rule", "harms"),
    [
        ({"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}, True),
        ({"apiGroups": [""], "resources": ["nodes/proxy"], "verbs": ["get"]}, True),
        ({"apiGroups": ["*"], "resources": ["*"], "verbs": ["get"]}, True),
        ({"apiGroups": ["apps"], "resources": ["daemonsets"], "verbs": ["list", "create"]}, True),
        ({"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"], "verbs": ["patch"]}, True),
        ({"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch"]}, False),
        ({"apiGroups": [""], "resources": ["events"], "verbs": ["create"]}, False),
        ({"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads"], "verbs": ["update"]}, False),
        ({"apiGroups": ["mellanox.com"], "resources": ["nicclusterpolicies"], "verbs": ["*"]}, False),
        ({"nonResourceURLs": ["/metrics"], "verbs": ["get"]}, False),
    ],
)
def test_what_is_recorded_of_charts(rule: dict[str, list[str]], harms: bool):
    """Secrets, commands in pods, and writing of what is Kubernetes' own."""
    assert can_harm(rule) is harms


@pytest.mark.golden
def test_page_of_rights_is_fresh():
    """docs/security.md has the lists' tables; `make docs` renews them."""
    assert SECURITY.read_text(encoding="utf-8") == security()


def test_every_chart_is_recorded():
    """At the very version that the catalogue pins: another one's rights nobody has looked at."""
    pinned = {each.name: each.version for each in vars(catalogue).values() if isinstance(each, Chart)}

    assert {name: each.version for name, each in recorded().items()} == pinned


def test_another_version_of_a_chart_has_no_reason():
    """Render it anew: `python -m tests.rights.charts`."""
    data = copied("gke")
    for each in data["resources"]:
        if each["type"].endswith(":Release"):
            each["inputs"]["version"] = "99.0.0"

    found = list(without_reason(kubernetes.rights(Graph.from_dict(data)), reasons(kubernetes.REASONS)))

    assert {right.who for right in found} == {"chart dranet", "chart dra-driver-nvidia-gpu"}
