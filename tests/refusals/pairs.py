"""Errors of two or three refusal cases in one configuration: each must be told beside the others."""

import re
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from typing import Any

from pulumi_offline.errors import RULES_FOLLOW, Refused
from pulumi_offline.project import Settings, read_settings
from rdma_cluster.base.config import CLOUD, value
from rdma_cluster.cli.overrides import lay_over, path_of
from rdma_cluster.cli.stack_file import cloud_of
from rdma_cluster.common.stack import summarise_stack
from tests.refusals.case import Case, cases, without_machines
from tests.stacks import ROOT

Keys = frozenset[tuple[str | int, ...]]


@cache
def settings(stack: str) -> tuple[Settings, dict[str, Any]]:
    """A stack as it is shipped, and what its texts say."""
    base = read_settings(ROOT, stack)
    return base, {key: value(text) for key, text in base.config.items()}


def told(stack: str, overrides: Sequence[str]) -> list[str]:
    """The errors of a stack under these overrides."""
    base, parsed = settings(stack)
    config = deepcopy(parsed)
    for override in overrides:
        lay_over(config, override)
    under = base.over(config)
    try:
        summarise_stack(cloud_of(under), under.config, stack)
    except Refused as refused:
        return [without_machines(line) for line in refused.lines]
    return []


def paths(case: Case) -> Keys:
    """Where a case's overrides set something."""
    return _paths(tuple(case.set))


@cache
def _paths(overrides: tuple[str, ...]) -> Keys:
    return frozenset(tuple(found[0]) for override in overrides if (found := path_of(override)) is not None)


def usable() -> dict[str, Case]:
    """The cases that are overrides of a shipped stack and are refused by its plan, by name."""
    found = {}
    for case in cases("stack"):
        judged = not any(line.startswith(("--set", CLOUD)) for line in case.refused)
        if case.set and case.file is None and judged:
            found[case.name] = case
    return found


def touch(one: Keys, other: Keys) -> bool:
    """Whether two cases change the same value, or one what the other holds."""
    return any(a[: len(b)] == b or b[: len(a)] == a for a in one for b in other)


_WHOLE = "whole plan"
"""What is judged of a whole plan, of which there is none beside any other error: so no case is independent of it."""
_TOPICS = {
    # What decides for others first.
    r"pools(\.\d+\.machine)?$|pools\.\d+$": {"machine", "nodes", "capacity", "allocation", "labels", "pool"},
    r"pools\.\d+\.nodes": {"nodes"},
    r"pools\.\d+\.(capacity|placement)": {"capacity"},
    r"pools\.\d+\.min_?[nN]odes": {"capacity", "nodes"},
    r"pools\.\d+\.gpu_?[aA]llocation": {"allocation"},
    r"pools\.\d+\.labels": {"labels"},
    r"pools\.\d+\.(max_?[pP]ods|release|ami|auto)": {"pool"},
    r"pools\.\d+\.node_?[vV]ersion": {"pool", "version"},
    # What is left for weights.
    r"pools\.\d+\.(os_?[dD]isk|boot_?[vV]olume)": {"pool"},
    # What only some machines boot, or are had by.
    r"pools\.\d+\.(image|mode|memory_?[fF]abrics|hosts)": {"pool", "nodes"},
    r"pools\.\d+\.name": {"name"},
    r"pools\.\d+\.max_?[pP]ods|network\.(existing|max_?[pP]ods)": {"pods"},
    r"kubernetes\.cni": {"pods", "network"},
    r"adopt": {"existing", "name", "machine"},
    r"kubernetes\.existing|kubernetes$": {"existing", "entry", "version"},
    r"kubernetes\.version": {"version"},
    r"kubernetes\.name": {"existing"},
    r"kubernetes\.(admins|endpoint|public|addon)": {"entry"},
    r"kubernetes\.secrets": {"secrets"},
    r"(rdma_cluster:)?network": {"network"},
    # It takes the place of a network mode, and says who hands out GPUs.
    r"skypilot": {"network", "machine", "allocation"},
    r"claims": {"claims"},
    r"rdma(\.|$)": {"nicAttachment"},
    r"drivers": {"drivers"},
    r"inference": {"inference"},
    # What weights may be read from.
    r"inference\.weights": {"storage"},
    r"storage": {"storage"},
    r"injection": {"injection"},
    r"monitoring": {"monitoring"},
    r"queues": {"queues"},
    r"readiness": {"readiness"},
    r"acceptance": {"acceptance"},
    # What carries the test is known of pools that are planned.
    r"acceptance\.images": {"launcher"},
    r"artifacts": {_WHOLE},
    r"zone|region|(aws|oci):region": {"zone"},
    r"(gcp:)?proj": {"project"},
}
_TOGETHER = (
    {"network", "machine", "nodes", "zone", "existing"},
    {"claims", "machine", "allocation", "drivers", "version"},
    {"nicAttachment", "claims", "machine", "allocation", "drivers"},
    {"acceptance", "machine", "nodes", "allocation", "drivers"},
    {"launcher", "machine", "nodes", "allocation", "drivers", "capacity", "labels", "pool", "zone", "version", "name"},
    {"version", "machine", "allocation", "drivers", "capacity"},
    {"injection", "version", "claims", "machine", "allocation", "nicAttachment"},
    {"inference", "nodes", "claims", "allocation", "machine", "capacity", "name", "pool", "labels", "version"},
    {"monitoring", "allocation", "drivers"},
    {"readiness", "acceptance"},
    # Lustre may take a subnet of the same block.
    {"storage", "network"},
    # A bucket is in the zone's region.
    {"storage", "zone"},
    {"queues", "name", "machine"},
    {"capacity", "zone", "pool"},
    {"labels", "allocation", "drivers"},
    {"storage"},
    {"inference", "storage", "claims"},
    {"pool", "machine"},
    {"drivers", "zone"},
    {"existing", "entry"},
    # A public endpoint lets in the addresses by which nodes leave.
    {"entry", "network"},
    {"secrets"},
    {"pods"},
    {"name", "machine"},
    {"project"},
)
"""What one rule or another reads at once: an error in one of them may rightly hide, or change, one in another."""


def of_form(case: Case) -> bool:
    """Whether a case is refused for its form, before any rule is judged."""
    return RULES_FOLLOW in case.refused


def topics(case: Case) -> set[str]:
    """What a case sets, and what its errors are about."""
    told = (line.partition(": ")[0].replace("[", ".").replace("]", "") for line in case.refused)
    said = {".".join(map(str, path)).removeprefix("rdma-cluster:") for path in paths(case)} | set(told)
    return {topic for path in said for topic in _topics(path)}


@cache
def _topics(path: str) -> set[str]:
    return {topic for pattern, found in _TOPICS.items() if re.match(pattern, path) for topic in found}


def independent(one: Case, other: Case) -> bool:
    """Whether no rule reads what both cases set."""
    if one.stack != other.stack or touch(paths(one), paths(other)) or of_form(one) != of_form(other):
        return False
    a, b = topics(one), topics(other)
    return _WHOLE not in a | b and not any(together & a and together & b for together in _TOGETHER)
