"""``rdma-cluster plan``: left of the wall, no SDK imported."""

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pulumi_offline.errors import refusal
from pulumi_offline.visible import visible
from .options import option
from .output import as_json, headed, write_summary
from .stack_file import StackVerb, cloud_of, summary_of
from .write_file import write_file

if TYPE_CHECKING:
    from pulumi_offline import Graph


class Plan(StackVerb):
    """Print the plan, or write it as a page; with ``since`` also what is lost on the way to it."""

    html: Path | None = option("--html FILE", "write the plan as one page with drawings")
    report: Path | None = option("--report FILE", "the page's second half: what `pulumi stack output report` printed")
    since: Path | None = option(
        "--since FILE",
        "a graph (`preview --json`) or a state (`pulumi stack export`): say what the change from it replaces, and what "
        "it does to work that runs",
    )
    evidence: bool = option(
        "--evidence", "in its place: how each promise of the plan is known, by class, and what only hardware can tell"
    )

    def run(self) -> int:
        root, settings = self.read()
        if self.evidence:
            from .evidence import show_evidence

            return show_evidence(settings, self.json)
        summary = summary_of(settings)

        @cache
        def graph() -> "Graph":
            from .preview import run_program

            return run_program(root, settings)

        if self.report is not None and self.html is None:
            raise refusal("is the second half of a page; add --html FILE", "--report")
        if self.html is not None:
            from ..base.lazy import MissingLibrary
            from .page.page import write_page
            from .page.report import read_report, second_half

            below = second_half(read_report(self.report)) if self.report is not None else ""
            without, resources = "", None
            try:  # with every resource where the cloud's SDK is installed
                resources = graph()
            except MissingLibrary as missing:
                without = f"not listed: {missing}"
            project = settings.config.get("gcp:project", "")
            text = write_page(settings.stack, summary, resources, without, cloud=cloud_of(settings), project=project)
            write_file(self.html, text.replace("</body>", f"{below}</body>"))
            print(visible(f"wrote {self.html}"), file=sys.stderr)
        lost = _lost(graph(), self.since) if self.since is not None else {}
        running = _running(graph(), self.since) if self.since is not None else {}
        if self.json:
            print(as_json({"stack": self.stack, **summary.to_dict(), **lost, **running}))
            return 0
        if self.html is None:
            write_summary(self.stack, summary)
        for line in (line for lines in lost.values() for line in lines):
            print(headed("since", f" {self.since}: {line}", "red"))
        if self.since is not None and not any(lost.values()):
            print(f"since {visible(str(self.since))}: no cluster, network or pool is replaced, and nothing is refused")
        for line in (line for lines in running.values() for line in lines):
            print(headed("since", f" {self.since}: {line}", "yellow"))
        return 0


def _lost(after: "Graph", since: Path) -> dict[str, list[str]]:
    """What the change from a graph or a state replaces and what is refused, as sentences."""
    from pulumi_offline.replacements import refusals, replacements
    from pulumi_offline.stack_export import read_before
    from .graph import felt, refused_in_words

    before = read_before(since, after)
    anew = replacements(before, after)
    return {"replaces": felt(anew, after), "refused": refused_in_words(refusals(before, after, anew))}


def _running(after: "Graph", since: Path) -> dict[str, list[str]]:
    """What the change does to work that goes on, as sentences."""
    from pulumi_offline.stack_export import read_before
    from ..upgrades.in_place import on_running

    return {"running": on_running(read_before(since, after), after)}
