"""No name, address or id of a cluster's owner is in a saved snapshot, wherever it stood in what was read."""

import copy
import json
from typing import Any

from hypothesis import example, given, settings, strategies as st
from rdma_cluster.conform.expected import Expected
from rdma_cluster.conform.judge import differences
from rdma_cluster.conform.reader import Answers, read_answers
from rdma_cluster.conform.snapshot import as_text, read
from tests.conform.owners import DISTINCT, OWNERS, leaves
from tests.conform.synthetic import answers, promised
from tests.examples import examples

GKE = promised("gke")


def saved(given: Answers, of: Expected = GKE) -> str:
    """The text of the snapshot's file."""
    return as_text(read_answers(given, of.pool_label, [pool.name for pool in of.pools], "0.1.0").snapshot)


def left(text: str) -> list[str]:
    """The parts of the owner's that are in it."""
    return [each for each in DISTINCT if each in text.lower()]


def test_a_realistic_cluster_leaves_nothing_of_its_owner():
    """Nodes are as clouds write them, slices have MAC addresses and UUIDs, and a pod says too much."""
    given = answers(GKE)
    for node in given.nodes:
        name = f"gke-acme-llm-prod-{node['metadata']['name']}"
        given.looks.update({name: given.looks.pop(node["metadata"]["name"], "")})
        for each in given.slices:
            if each["spec"]["nodeName"] == node["metadata"]["name"]:
                each["spec"]["nodeName"] = name
        node["metadata"] |= {"name": name, "annotations": {"owner": "jane.doe"}, "uid": OWNERS[10]}
        node["metadata"]["labels"] |= {"team": "acme-llm-prod", "kubernetes.io/hostname": name}
        node["spec"] |= {"providerID": "gce://acme-4711/us-east5-a/" + name, "podCIDR": "10.98.76.0/24"}
        node["spec"]["taints"].append({"key": "acme.example.com/team", "value": "jane.doe", "effect": "NoSchedule"})
        addresses = [{"type": "InternalIP", "address": "10.98.76.54"}, {"type": "Hostname", "address": name}]
        node["status"] |= {"addresses": addresses, "images": [{"names": [OWNERS[18]]}]}
        node["status"]["nodeInfo"] |= {"machineID": OWNERS[10], "kernelVersion": "6.8.0-acme-custom"}
        node["status"]["nodeInfo"] |= {"kubeletVersion": "v1.35.2-acme.5", "osImage": "AcmeOS 4711"}
        node["status"]["allocatable"]["acme.example.com/licence"] = "4711"
    for device in (device for each in given.slices for device in each["spec"]["devices"]):
        device["attributes"] |= {"dra.net/cloudNetwork": {"string": "acme-vpc"}, "dra.net/mac": {"string": OWNERS[5]}}
        device["attributes"]["dra.net/ipv4"] = {"string": "10.98.76.54"}
    given.templates[0].append({"metadata": {"name": "acme-llm-prod-claims"}})
    given.classes.append({"metadata": {"name": "gpu.acme.example.com"}})
    given.daemons.append({"metadata": {"name": "acme-agent"}, "status": {"desiredNumberScheduled": 2}})

    text = saved(given)

    assert left(text) == []
    assert '"kernel": "6.8.0"' in text and '"other"' in text  # what tells of nobody stays


PLAIN = {key: getattr(answers(GKE), key) for key in ("nodes", "slices", "daemons", "templates", "classes", "version")}
PLAIN["looks"] = {node: json.loads(look) for node, look in answers(GKE).looks.items()}
PATHS = leaves(PLAIN)


@settings(max_examples=examples(20, 200))
@given(st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from(OWNERS), st.booleans()), min_size=1, max_size=40))
def test_a_text_of_the_owner_survives_nowhere(changes: list[tuple[tuple[Any, ...], str, bool]]):
    """Any text that is read may be one of the owner's or end with it, and nothing crashes."""
    plain = copy.deepcopy(PLAIN)
    for path, words, appended in changes:
        at: Any = plain
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = f"{at[path[-1]]}-{words}" if appended else words
    looks = {node: json.dumps(look) for node, look in plain.pop("looks").items()}

    assert left(saved(Answers(**plain, looks=looks))) == []


_ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=8) | st.floats(),
    lambda of: st.lists(of, max_size=3) | st.dictionaries(st.text(max_size=5), of, max_size=3),
    max_leaves=6,
)


@settings(max_examples=examples(10, 100))
@given(st.lists(st.tuples(st.sampled_from(PATHS), st.integers(0, 6), _ODD), min_size=1, max_size=10))
@example([(("daemons", 0, "metadata", "name"), 0, [])])
@example([(("slices", 0, "spec", "driver"), 0, [])])
def test_answers_of_any_shape_are_read(changes: list[tuple[tuple[Any, ...], int, Any]]):
    """A server may send anything at any depth; what has not the shape of Kubernetes is not read."""
    plain = copy.deepcopy(PLAIN)
    for path, up, odd in changes:
        at, depth = plain, max(2, len(path) - up)
        try:
            for key in path[: depth - 1]:
                at = at[key]
            at[path[depth - 1]] = odd
        except (TypeError, KeyError, IndexError):
            continue  # an earlier change took this place away
    looks = {str(node): json.dumps(look) for node, look in plain.pop("looks").items()}
    plain["version"] = str(plain["version"])

    text = saved(Answers(**plain, looks=looks))
    differences(read(text.encode(), "snapshot"), GKE)
