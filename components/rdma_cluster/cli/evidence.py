"""``rdma-cluster plan STACK --evidence``: how each promise of a plan is known."""

from collections.abc import Iterable

from ..catalog.machine import Source
from ..common.stack import plan_of, summarise_stack
from ..conform.promises import Evidence, Promise, counted, promises
from ..offline.project import Settings
from .output import as_json, headed, styled, table
from .stack_file import cloud_of


def show_evidence(settings: Settings, json: bool) -> int:
    """Print how many promises there are of each class, and each promise with its sources. Raises ``Refused``."""
    found = promises_of(settings)
    counts = counted(found)
    if json:
        rows = {"counts": {each.value: count for each, count in counts.items()}, "promises": [*map(_data, found)]}
        print(as_json({"stack": settings.stack, **rows}))
        return 0
    print(f"stack {styled(settings.stack, 'bold')}: {len(found)} promises, none of them run on hardware by us\n")
    print(
        table([{"known": each.value, "promises": count, "that is": _MEANINGS[each]} for each, count in counts.items()])
    )
    for evidence in counts:
        for why, names in _grouped(each for each in found if each.evidence is evidence).items():
            print("\n" + headed(evidence.value, f": {', '.join(names)}: {why}"))
    return 0


def promises_of(settings: Settings) -> list[Promise]:
    """Every promise of a stack. Raises ``Refused``."""
    words = cloud_of(settings), settings.config, settings.stack
    return list(promises(plan_of(*words), summarise_stack(*words)))


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
        why = each.reason or "; ".join(_cited(source) for source in each.sources)
        groups.setdefault(f"{each.of}: {why}" if each.reason else why, []).append(each.what)
    return groups


def _cited(source: Source) -> str:
    return f"{source.ref} ({source.seen})"


def _data(promise: Promise) -> dict[str, object]:
    sources = [{"ref": source.ref, "seen": source.seen} for source in promise.sources]
    known = {"of": promise.of, "what": promise.what, "known": promise.evidence.value}
    return {**known, "sources": sources, "reason": promise.reason or None}
