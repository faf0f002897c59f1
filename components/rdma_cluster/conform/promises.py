"""What a stack promises, and how each promise is known.

A promise is a figure of a machine, a price, a claim that fits a node, or an artifact that can be fetched. A claim is
known as well as the worst known of the figures that it rests on. Figures that nobody has published, and those that
nobody knows, are promises too: hardware alone can answer them, so they stay in the count.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum

from pulumi_offline.frozen import frozen
from ..catalog import charts
from ..catalog.artifact import Certainty, Chart, records_of
from ..catalog.machine import Known, Machine, Source
from ..catalog.prices import prices, why_unlisted
from ..catalog.questions import figures
from ..claims.solution import rests_on
from ..common.stack import StackPlan
from ..common.summary import Row, Summary
from ..incluster.plan.in_cluster import InClusterPlan
from .expected import machines_of, target_of


class Evidence(str, Enum):
    """How a promise is known, from the best to the worst."""

    MEASURED = "measured"
    """Somebody read it off such hardware, or ran it there."""
    DOCUMENTED = "documented"
    """The provider's or the vendor's own documents or API say it."""
    IN_CODE = "in code"
    """Read from somebody's code, manifest or list, and in no document."""
    NOT_PUBLISHED = "not published"
    """Looked for and nowhere found."""
    INFERRED = "inferred"
    """Inferred, disputed, or from one weak source."""
    UNKNOWN = "not known"


_DOCUMENT = re.compile(
    r"(?:[\w.-]*\bdocs?\.[\w.-]+|learn\.microsoft\.com|(?:[\w-]+\.)?(?:nvidia|amazon|oracle)\.com|cloud\.google\.com"
    r"|github\.com/(?:MicrosoftDocs|awsdocs|[\w.-]+/[\w.-]*-docs))\b"
)
"""Where a reference to a document begins: the sites of providers and vendors, and the sources of these."""
_WORST = list(Known)
_CERTAINTIES = {Certainty.SURE: Known.PUBLISHED, Certainty.LIKELY: Known.INFERRED}


@frozen
class Promise:
    """One thing that a plan says, and how anybody knows."""

    of: str
    """The machine type, or the artifact's kind."""
    what: str
    """The field of the catalogue, the claim, or the artifact."""
    known: Known
    sources: tuple[Source, ...]
    """Empty where the point is open."""
    reason: str
    """Why the point is open; empty for a settled one."""

    @property
    def evidence(self) -> Evidence:
        """The class that it is counted in. What is published counts as documented where any of its sources is."""
        if self.known is not Known.PUBLISHED:
            return Evidence(self.known.value)
        documented = any(_DOCUMENT.match(source.ref) for source in self.sources)
        return Evidence.DOCUMENTED if documented else Evidence.IN_CODE


def promises(plan: StackPlan, summary: Summary) -> Iterator[Promise]:
    """Everything that the plan of a stack and its summary promise, in the order in which a reader meets it."""
    machines = machines_of(plan)
    for machine in machines:
        yield from _of_machine(machine)
    if plan.in_cluster is not None:  # plain machines have no Kubernetes
        yield from _claims(plan.in_cluster, machines)
    yield from _charts(summary.rows_of("versions"))


def counted(found: Iterable[Promise]) -> dict[Evidence, int]:
    """How many promises there are of each class, zeros included."""
    counts = Counter(promise.evidence for promise in found)
    return {evidence: counts[evidence] for evidence in Evidence}


def _of_machine(machine: Machine) -> Iterator[Promise]:
    for figure in figures(machine):
        if figure.known is not Known.NOT_APPLICABLE:
            yield Promise(machine.name, figure.field, figure.known, figure.sources, figure.reason)
    sources = tuple(dict.fromkeys(source for price in prices(machine) for source in price.sources))
    if sources:
        yield Promise(machine.name, "price", Known.PUBLISHED, sources, "")
    else:
        yield Promise(machine.name, "price", Known.NOT_PUBLISHED, (), why_unlisted(machine))


def _claims(plan: InClusterPlan, machines: Iterable[Machine]) -> Iterator[Promise]:
    """Each shape that is offered, as well known as the worst of what it rests on."""
    offers = plan.claims.plan.by_machine if plan.claims else {}
    for machine in machines:
        if (target := target_of(plan, machine)) is None:  # nothing is offered of it
            continue
        told = {figure.field: figure for figure in figures(machine)}
        for offer in offers.get(machine.name, ()):
            fields = {"gpus", "nics", *rests_on(machine, offer.intent, target)} & told.keys()
            worst = max((told[field] for field in sorted(fields)), key=lambda figure: _WORST.index(figure.known))
            reason = f"{worst.field}: {worst.reason}" if worst.reason else ""
            yield Promise(machine.name, f"claim: {offer.intent}", worst.known, worst.sources, reason)


def _charts(versions: Iterable[Row]) -> Iterator[Promise]:
    """Each chart that a plan shows, and the image of its pods: that it can be fetched exactly so."""
    shown = {row["part"] for row in versions}
    for record in (each for each in records_of(charts, Chart) if each.title in shown):
        for kind, name, each in (
            ("chart", record.chart, record),
            ("image", getattr(record.image, "image", ""), record.image),
        ):
            if each is not None:
                known = _CERTAINTIES[each.certainty]
                sources = (each.source,) if known is Known.PUBLISHED else ()
                reason = "" if sources else f"no pull and no digest of it was seen: {each.source.ref}"
                yield Promise(kind, name, known, sources, reason)
