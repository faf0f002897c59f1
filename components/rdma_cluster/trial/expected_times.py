"""How long `up` and `destroy` of a stack take, by the catalogue's latencies: the longest chain of its resources."""

from collections.abc import Iterable, Mapping
from functools import cache

from pulumi_offline import Graph
from pulumi_offline.frozen import frozen
from pulumi_offline.graph import Resource
from ..catalog.latencies import SHORT, Latency, latency

TOLD_SECONDS = 5


@frozen
class Step:
    """One resource of the chain."""

    type: str
    name: str
    latency: Latency

    def row(self) -> dict[str, str]:
        """For people; a guess says so."""
        source = self.latency.source
        known = f"published ({source.seen})" if source else "a guess: nobody publishes it"
        return {"phase": f"{self.type} {self.name}", "minutes": f"{self.latency.create / 60:.1f}", "known": known}


def longest(graph: Graph) -> list[Step]:
    """The resources that hold `up` up, in order."""
    by_urn = {each.urn: each for each in graph.resources}

    def needed(urn: str) -> Iterable[str]:
        each = by_urn[urn]
        return [of for of in (each.parent, each.provider, *each.dependencies) if of in by_urn]

    @cache
    def chain(urn: str) -> tuple[float, tuple[str, ...]]:
        before = max(map(chain, needed(urn)), default=(0.0, ()))
        return before[0] + _takes(by_urn[urn]).create, (*before[1], urn)

    _, urns = max(map(chain, sorted(by_urn)), default=(0.0, ()))
    steps = [Step(each.type, each.name, _takes(each)) for each in map(by_urn.__getitem__, urns)]
    return [each for each in steps if each.latency.create]


def _takes(resource: Resource) -> Latency:
    """None of a component or a provider; little of an object that `up` does not wait for, such as a test that its
    runner starts."""
    if resource.type.startswith(("rdma-cluster:", "pulumi:")):
        return Latency(0, 0)
    annotations = (resource.inputs.get("metadata") or {}).get("annotations") or {}
    return SHORT if annotations.get("pulumi.com/skipAwait") == "true" else latency(resource.type)


def minutes(steps: Iterable[Step]) -> tuple[float, float]:
    """Of `up`, and of `destroy`, which goes the same way back."""
    every = list(steps)
    return sum(each.latency.create for each in every) / 60, sum(each.latency.delete for each in every) / 60


def cost(price: Mapping[str, float | None], taken: float) -> tuple[float, float] | None:
    """US dollars, from and to, of so many minutes; ``None`` where no list has the price."""
    least, most = price["from_usd_an_hour"], price["to_usd_an_hour"]
    return None if least is None or most is None else (least * taken / 60, most * taken / 60)
