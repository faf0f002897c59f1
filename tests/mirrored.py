"""Graphs whose every artifact comes from one mirror, as `artifacts --mirror` and `artifacts.mirrorsOnly` make them."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pulumi_offline import Graph
from rdma_cluster.catalog.eks.registries import registries as eks_registries
from rdma_cluster.catalog.images import VLLM_EFA
from rdma_cluster.supply.artifacts import all_charts, all_images
from rdma_cluster.supply.fetched import fetched
from rdma_cluster.supply.mirror import registries
from tests.stacks import graph_of

MIRROR = "mirror.example:5000/gpu"
OWN = "mine.example"
"""A registry of the user's own, which tests name images of: it may be fetched from, too."""
# Policies of injection look for images of users that lack a plugin, and tell which one has it: they start neither.
_NAMED_ALONE = ("docker.io/vllm/vllm-openai:", "nvcr.io/nvidia/ai-dynamo/", f"{VLLM_EFA.repository}:")
# A host with a dot, a path, and a tag or a digest: what a runtime or Helm would go out for.
_REFERENCE = re.compile(
    r"(?:oci://)?(?:[a-z0-9-]+\.)+[a-z]+(?::\d+)?(?:/[a-z0-9._-]+)+(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?"
)


@cache
def mirrored_graph(stack: str, *overrides: str) -> Graph:
    """The same with the lines that `artifacts --mirror` prints, and nothing else allowed."""
    lines = {**registries(fetched(graph_of(stack, *overrides)), MIRROR), OWN: OWN}
    return graph_of(stack, *overrides, f"registries={json.dumps(lines)}", "artifacts.mirrorsOnly=true")


@cache
def public_hosts() -> re.Pattern[str]:
    """Every host that the catalogue fetches from, at the beginning of a word."""
    places = [each.image for each in all_images() if "/" in each.image]
    places += [(each.repo or each.chart).partition("://")[2] for each in all_charts()]
    hosts = {place.partition("/")[0] for place in places} | set(eks_registries())
    return re.compile(rf"(?<![\w./-])(?:{'|'.join(map(re.escape, sorted(hosts)))})/[\w./:@-]*")


def elsewhere(value: Any, key: str = "") -> Iterator[str]:
    """What in an object would be fetched from another place: images wherever they stand, and every public host."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from elsewhere(each, name)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from elsewhere(each, key)
    elif isinstance(value, str):
        if key == "image" and value and not _is_ours(value):
            yield value
        yield from (found for found in public_hosts().findall(value) if not found.startswith(_NAMED_ALONE))


def _is_ours(image: str) -> bool:
    """Whether it is at the mirror, on the node already under a name without a host, or the disk of a machine."""
    return image.startswith((f"{MIRROR}/", f"{OWN}/", "projects/")) or "/" not in image
