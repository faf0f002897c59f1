"""``rdma-cluster plan STACK --evidence``: how each promise of a plan is known."""

from collections.abc import Iterable

from pulumi_offline.project import Settings
from ..catalog.sayings import Saying, sayings
from ..common.summary import summarise_plan
from ..conform.promises import Evidence, Promise, counted, promises
from .output import as_json, headed, paragraph, styled, table
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
    if compared := _compared(found):
        print("\n" + paragraph(compared))
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


def _compared(found: Iterable[Promise]) -> str:
    """How many promises were compared with what their source says, and where the two differ; empty for none."""
    settled = [each for each in found if each.sources and not each.what.startswith("claim: ")]
    read = [(each, saying) for each in settled for saying in _readings(each) if saying.says is not None]
    differ = [f"{each.field} of {each.of}: {each.says} ({each.source}); {each.why}" for _, each in read if each.why]
    compared = len({(each.of, each.what) for each, _ in read})
    if not compared:
        return ""
    first = (
        f"readers who had not seen our values compared {compared} of {len(settled)} settled promises with their sources"
    )
    return "; ".join([first, *differ])


def _readings(promise: Promise) -> list[Saying]:
    """The readings of a promise and of its parts."""
    reference = promise.what.partition("@")[0]
    parts = [each for each in sayings().get(promise.of, ()) if f"{each.field}.".startswith(f"{promise.what}.")]
    return [*parts, *sayings().get(reference, ())]


def _data(promise: Promise) -> dict[str, object]:
    sources = [{"ref": source.ref, "seen": source.seen} for source in promise.sources]
    known = {"of": promise.of, "what": promise.what, "known": promise.evidence.value}
    said = [each._asdict() for each in _readings(promise)]
    return {**known, "sources": sources, "said": said, "reason": promise.reason or None}
