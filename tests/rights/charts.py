"""What each chart that we install gives its pods and accounts and can do harm: recorded, since no chart is here.

`python -m tests.rights.charts HELM FOLDER` renders the charts that a folder holds by their names, with the values of
every graph of ours, by a Helm of 3.19 or later, and prints the record that is right for them.
"""

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from tests import quick_yaml
from .right import Right

FILE = Path(__file__).with_name("charts.yaml")
Places = dict[str, dict[str, list[str]]]
"""Rights by who has them and on what."""
_READS = {"get", "list", "watch"}
_HARMLESS = {"events", "leases", "tokenreviews", "subjectaccessreviews"}


class Recorded(NamedTuple):
    """A chart at a version."""

    version: str
    source: str
    rights: tuple[Right, ...]


@cache
def recorded() -> dict[str, Recorded]:
    """The record by the charts' names."""
    return {
        chart: Recorded(said["version"], said["source"], tuple(_rights(chart, said["rights"])))
        for chart, said in quick_yaml.load(FILE.read_text()).items()
    }


def _rights(chart: str, said: Places) -> list[Right]:
    return [
        Right(f"chart {chart}, {who}", may, on)
        for who, places in said.items()
        for on, some in places.items()
        for may in some
    ]


def can_harm(rule: Mapping[str, Any]) -> bool:
    """Whether a rule of a role lets more than read what is no secret, and write of kinds that the chart itself brings.

    Kubernetes' own groups are those without a dot and those below k8s.io, but for x-k8s.io and NFD's, which are
    projects' own.
    """
    groups, kinds, verbs = rule.get("apiGroups") or [], set(rule.get("resources") or ()), set(rule["verbs"])
    own = [each for each in groups if "." not in each or each.endswith(".k8s.io")]
    own = [each for each in own if not each.endswith((".x-k8s.io", "nfd.k8s-sigs.io"))]
    return bool(own and (kinds & {"secrets", "nodes/proxy", "*"} or (verbs - _READS and kinds - _HARMLESS)))


def rendered(helm: str, folder: Path) -> dict[str, Places]:
    """What the charts in a folder give, each with the values of every graph."""
    from tests.clouds import clouds
    from tests.helm import different, rendered as helm_rendered
    from tests.stacks import graph_of
    from .kubernetes import of_manifests

    graphs = (graph_of(*args) for cloud in clouds() for args in cloud.graphs.values())
    found: dict[str, dict[str, dict[str, set[str]]]] = {}
    for chart, release in different(graphs):
        if (folder / chart).is_dir():
            objects, namespace = helm_rendered(helm, folder / chart, release), release.inputs["namespace"]
            for right in of_manifests(objects, namespace=namespace, matters=can_harm):
                found.setdefault(chart, {}).setdefault(right.who, {}).setdefault(right.where, set()).add(right.may)
    return {
        chart: {who: {on: sorted(some) for on, some in sorted(of.items())} for who, of in sorted(all_of.items())}
        for chart, all_of in found.items()
    }


if __name__ == "__main__":
    all_charts = {chart: {"rights": rights} for chart, rights in rendered(sys.argv[1], Path(sys.argv[2])).items()}
    print(yaml.safe_dump(all_charts, sort_keys=False, width=118, default_flow_style=None))
