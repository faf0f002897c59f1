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
        "a graph (`preview --json`) or a state (`pulumi stack export`): say what the change from it takes away, and "
        "what it does to work that runs",
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
        told = _since(graph(), self.since) if self.since is not None else {}
        lost = {key: lines for key, lines in told.items() if key not in ("tests", "running")}
        if self.json:
            print(as_json({"stack": self.stack, **summary.to_dict(), **told}))
            return 0
        if self.html is None:
            write_summary(self.stack, summary)
        for line in (line for lines in lost.values() for line in lines):
            print(headed("since", f" {self.since}: {line}", "red"))
        if self.since is not None and not any(lost.values()):
            kept = "no cluster, network, pool or store is lost, no node is made anew, and nothing is refused"
            print(f"since {visible(str(self.since))}: {kept}")
        for line in [*told.get("tests", ()), *told.get("running", ())]:
            print(headed("since", f" {self.since}: {line}", "yellow"))
        return 0


def _since(after: "Graph", since: Path) -> dict[str, list[str]]:
    """Sentences on the change from a graph or a state: what it takes away, what is refused, what is tested again, and
    what becomes of work that runs."""
    from pulumi_offline.losses import losses
    from pulumi_offline.replacements import refusals
    from pulumi_offline.stack_export import read_before
    from ..upgrades.in_place import on_running
    from .losses import in_words, refused_in_words
    from .tests_due import tests_due

    before = read_before(since, after)
    lost = losses(before, after)
    refused = refused_in_words(refusals(before, after, lost.replaced))
    found = {**in_words(lost, before, after), "refused": refused}
    return {**found, "tests": tests_due(before, after), "running": on_running(before, after)}
