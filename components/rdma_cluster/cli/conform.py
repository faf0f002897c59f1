"""``rdma-cluster conform``: a living cluster, or a snapshot of one, held against the plan of its stack."""

import sys
from collections.abc import Sequence
from pathlib import Path

from pulumi_offline.errors import refusal
from pulumi_offline.visible import visible
from .. import __version__
from ..catalog.artifact import mirrored
from ..catalog.images import JUDGE_PYTHON
from ..common.stack import BaseRdmaClusterPlan
from ..conform.difference import Difference
from ..conform.expected import Expected, expected
from ..conform.judge import differences, unseen
from ..conform.reader import Seen, beside, read_answers
from ..conform.snapshot import as_text, read
from .options import KUBECONFIG, WHOSE, kubeconfig_option, option
from .output import as_json, headed, paragraph
from .stack_file import StackVerb, kubernetes_of
from .write_file import write_file


class Conform(StackVerb):
    """Print each difference with its consequence. Returns 1 when one breaks a promise. Raises ``Refused``."""

    kubeconfig: Path | None = kubeconfig_option()
    offline: Path | None = option("--offline FILE", "in its place: a snapshot, as --save writes it")
    save: Path | None = option("--save FILE", "write a snapshot, without names, addresses or ids of yours")
    no_pod: bool = option("--no-pod", "only read the API: no short-lived pod looks at one node of each pool")

    def run(self) -> int:
        plan = kubernetes_of(self.read()[1], "conform reads")
        promised = expected(plan)
        if (self.kubeconfig is None) == (self.offline is None):
            raise refusal(f"name exactly one of {KUBECONFIG} ({WHOSE}) and --offline FILE")
        why: list[str] = []
        if self.kubeconfig is not None:
            seen, why = look_at(plan, promised, self.kubeconfig, self.no_pod)
        elif self.offline is not None:
            snapshot = read(self.offline.read_bytes(), str(self.offline))
            seen = Seen(snapshot, tuple(() for _ in snapshot["nodes"]))
        if self.save is not None:
            write_file(self.save, as_text(seen.snapshot))
            print(visible(f"wrote {self.save}: no name, address or id of yours is in it"), file=sys.stderr)
        found = differences(seen.snapshot, promised)
        why += unseen(seen.snapshot, promised)
        broken = any(each.breaks for each in found)
        if self.json:
            told = {"stack": self.stack, "conforms": not broken, "differences": [each.to_dict() for each in found]}
            print(as_json({**told, "notSeen": why}))
        else:
            _show(self.stack, seen, promised, found, why)
        return 1 if broken else 0


def look_at(plan: BaseRdmaClusterPlan, promised: Expected, kubeconfig: Path, no_pod: bool) -> tuple[Seen, list[str]]:
    """What a living cluster shows, and why something was not seen. Raises ``Refused``."""
    from .living import read_cluster

    claims = plan.in_cluster.claims
    namespaces = claims.plan.namespaces if claims else ()
    registries = plan.in_cluster.context.registries
    image = None if no_pod else mirrored(JUDGE_PYTHON.image, registries)
    answers, why = read_cluster(kubeconfig, promised, namespaces, image)
    pools = [pool.name for pool in promised.pools]
    others = beside(answers, promised.pool_label, pools)
    return read_answers(answers, promised.pool_label, pools, __version__), [*why, *others]


def _show(stack: str, seen: Seen, promised: Expected, found: Sequence[Difference], why: Sequence[str]) -> None:
    groups: dict[tuple[str, ...], list[Difference]] = {}
    for each in found:
        alike = (each.kind, each.what, each.expected, each.found, each.follows, each.remedy)
        groups.setdefault(alike, []).append(each)
    for alike in sorted(groups.values(), key=lambda of: not of[0].breaks):
        first = alike[0]
        places = "; ".join(dict.fromkeys(_place(each.where, seen, promised) for each in alike))
        known = f" ({first.known.value})" if first.known else ""
        word, style = ("breaks", "red") if first.breaks else ("differs", "yellow")
        told = f"{first.what}: {first.kind}: expected {first.expected}{known}, found {first.found}"
        print(headed(word, f": {places}: {told}", style))
        print(paragraph(f"    {first.follows}; {first.remedy}"))
    for each in why:
        print(paragraph(f"not seen: {each}"))
    broken = sum(each.breaks for each in found)
    nodes = sum(node.get("count", 1) for node in seen.snapshot["nodes"])
    verdict = f"{broken} promises are broken" if broken else "no promise is broken"
    print(f"stack {visible(stack)}: {nodes} nodes seen, {len(found)} differences, {verdict}")


def _place(where: tuple[int, ...], seen: Seen, promised: Expected) -> str:
    """The pool, and the nodes by name where they are known."""
    if not where:
        return "cluster"
    pool = f"pool {promised.pools[where[0]].name}"
    if len(where) < 2:
        return pool
    names, count = seen.names[where[1]], seen.snapshot["nodes"][where[1]].get("count", 1)
    shown = ", ".join(names[:3]) or f"node {where[1]} of the snapshot"
    more = count - max(len(names[:3]), 1)
    return f"{pool}, {shown}" + (f" and {more} more" if more > 0 else "")
