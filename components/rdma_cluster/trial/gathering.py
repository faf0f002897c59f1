"""Puts together the trial of a living cluster: only what has no name in it leaves this file.

It asks for what `conform` asks, to list pods, and in the namespace of the tests for jobs and for logs of pods.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from nccl_verdict.visible import visible
from pulumi_offline.frozen import frozen
from rdma_agent.names import TESTS_NAMESPACE
from .. import __version__
from ..conform.snapshot import Snapshot
from ..kubernetes_api.client import Answered, Client
from .archive import FORM, About, Trial
from .redact import Redactor
from .times import Span, of_cluster, relative

_TESTS = ("batch/v1", "jobs"), ("kubeflow.org/v2beta1", "mpijobs")
_VERSIONS = {
    "nccl": re.compile(r"NCCL version (\d+\.\d+\.\d+(?:\+cuda\d+\.\d+)?)"),
    "plugin": re.compile(r"Loaded net plugin ((?:[A-Za-z]\w* )*\w+ \(?v\d+\)?)"),
    "aws-ofi-nccl": re.compile(r"Initializing aws-ofi-nccl (\d+\.\d+\.\d+)"),
    "libfabric": re.compile(r"Using Libfabric version (\d+\.\d+)"),
}


@frozen
class Living:
    """What a cluster answers beside the snapshot, in its own form."""

    nodes: Sequence[Any]
    pods: Sequence[Any]
    tests: Sequence[Any]
    logs: Sequence[str]


def read_living(client: Client) -> Living:
    """The objects that tell times, and the log of every container of the tests' pods."""
    pods = client.request("GET", "/api/v1/pods").get("items") or []
    tests = [each for group, kind in _TESTS for each in _listed(client, group, kind)]
    logs: list[str] = []
    for pod in pods:
        metadata = pod["metadata"]
        if metadata["namespace"] != TESTS_NAMESPACE:
            continue
        for container in pod["spec"]["containers"]:
            path = f"/api/v1/namespaces/{TESTS_NAMESPACE}/pods/{metadata['name']}/log"
            try:
                logs.append(client.text(path, container=container["name"]))
            except Answered as answered:
                if answered.code not in (400, 404):  # it has not begun, or is gone
                    raise
    return Living(
        client.request("GET", "/api/v1/nodes").get("items") or [], pods, tests, [each for each in logs if each]
    )


def _listed(client: Client, group: str, kind: str) -> list[Any]:
    try:
        return client.request("GET", f"/apis/{group}/namespaces/{TESTS_NAMESPACE}/{kind}").get("items") or []
    except Answered as answered:
        if answered.code != 404:  # no such kind here
            raise
        return []


# More than 6 parameters: each is a file or an answer of its own.
def gathered(  # noqa: PLR0913
    cloud: str,
    stack: str,
    pool_label: str,
    pools: Sequence[str],
    snapshot: Snapshot,
    report: Mapping[str, Any],
    living: Living,
    engine: Iterable[Span],
) -> Trial:
    """The trial, without names."""
    names = [each["metadata"]["name"] for each in (*living.nodes, *living.pods)]
    hosts = {name: f"node-{i}" for i, name in enumerate(sorted(set(names))) if re.search(r"[-.]", name)}
    logs = [Redactor(hosts).log(_plain(each)) for each in living.logs]
    known = {stack: "stack", **hosts, **{pool: f"pool-{i}" for i, pool in enumerate(pools)}}
    spans = [*engine, *of_cluster(living.nodes, living.pods, living.tests, pool_label, pools)]
    phases = relative(spans)
    about = About(form=FORM, made_by=__version__, cloud=cloud, on=date.today().isoformat(), phases=phases)
    if versions := dict(_versions(logs)):
        about["versions"] = versions
    return Trial(about, snapshot, Redactor(known).value(report), logs)


def _plain(log: str) -> str:
    return "\n".join(map(visible, log.splitlines()))


def _versions(logs: Iterable[str]) -> Iterator[tuple[str, str]]:
    for part, form in _VERSIONS.items():
        if (found := next((match for log in logs if (match := form.search(log))), None)) is not None:
            yield part, found[1]
