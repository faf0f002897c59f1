"""``rdma-cluster plan STACK --evidence``: how each promise of a plan is known."""

from collections.abc import Iterable

from pulumi_offline.project import Settings
from ..common.summary import summarise_plan
from ..conform.promises import Evidence, Promise, counted, promises
from .output import as_json, headed, styled, table
from .stack_file import plan_of


def show_evidence(settings: Settings, json: bool) -> int:
    """Print how many promises there are of each class, and each promise with its sources. Raises ``Refused``."""
    found = promises_of(settings)
    counts = counted(found)
    if json:
        told = {"counts": {each.value: count for each, count in counts.items()}, "promises": [*map(_data, found)]}
        print(as_json({"stack": settings.stack, **told}))
        return 0
    print(f"stack {styled(settings.stack, 'bold')}: {len(found)} promises, none of them run on hardware by us\n")
    rows = [{"known": each.value, "promises": count, "that is": _MEANINGS[each]} for each, count in counts.items()]
    print(table(rows))
    for evidence in counts:
        for why, names in _grouped(each for each in found if each.evidence is evidence).items():
            print("\n" + headed(evidence.value, f": {', '.join(names)}: {why}"))
    return 0


def promises_of(settings: Settings) -> list[Promise]:
    """Every promise of a stack. Raises ``Refused``."""
    plan = plan_of(settings)
    return list(promises(plan, summarise_plan(plan)))


_MEANINGS = {
    Evidence.MEASURED: "somebody read it off such hardware, or ran it there",
    Evidence.DOCUMENTED: "the provider's or the vendor's own documents say it",
    Evidence.IN_CODE: "somebody's code, manifest or list says it, and no document",
    Evidence.NOT_PUBLISHED: "looked for and nowhere found: hardware can tell",
    Evidence.INFERRED: "inferred, disputed, or from one weak source: hardware can tell",
    Evidence.UNKNOWN: "not known: hardware can tell",
}


def _grouped(found: Iterable[Promise]) -> dict[str, list[str]]:
    """The names of promises by what they rest on, or by why they are open."""
    groups: dict[str, list[str]] = {}
    for each in found:
        why = each.reason or "; ".join(f"{source.ref} ({source.seen})" for source in each.sources)
        groups.setdefault(f"{each.of}: {why}" if each.reason else why, []).append(each.what)
    return groups


def _data(promise: Promise) -> dict[str, object]:
    sources = [{"ref": source.ref, "seen": source.seen} for source in promise.sources]
    known = {"of": promise.of, "what": promise.what, "known": promise.evidence.value}
    return {**known, "sources": sources, "reason": promise.reason or None}
