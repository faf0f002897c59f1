"""``rdma-cluster plan``: left of the wall, no SDK imported."""

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, Refused
from ..nccl.visible import visible
from .output import as_json, headed, write_summary
from .stack_file import cloud_of, read_stack, summary_of
from .write_file import write_file

if TYPE_CHECKING:
    from ..offline import Graph


# More than six parameters: one for each option.
def show_plan(
    stack: str,
    file: Path | None,
    overrides: Sequence[str],
    json: bool,
    html: Path | None,
    since: Path | None,
    evidence: bool,
    report: Path | None,
) -> int:
    """Print the plan, or write it as a page; with ``since`` also what is lost on the way to it. Raises ``Refused``.

    With ``evidence`` print in its place how each of its promises is known. ``report`` is the page's second half.
    """
    root, settings = read_stack(stack, file, overrides)
    if evidence:
        from .evidence import show_evidence

        return show_evidence(settings, json)
    summary = summary_of(settings)

    @cache
    def graph() -> "Graph":
        from .preview import run_program

        return run_program(root, settings)

    if report is not None and html is None:
        raise Refused([InputError(("--report",), "is the second half of a page; add --html FILE")])
    if html is not None:
        from ..lazy import MissingLibrary
        from .page import write_page
        from .page.report import read_report, second_half

        below = second_half(read_report(report)) if report is not None else ""

        cloud, project = cloud_of(settings), settings.config.get("gcp:project", "")
        try:  # with every resource where the cloud's SDK is installed
            text = write_page(settings.stack, summary, graph(), "", cloud=cloud, project=project)
        except MissingLibrary as missing:
            why = f"not listed: {missing}"
            text = write_page(settings.stack, summary, None, why, cloud=cloud, project=project)
        write_file(html, text.replace("</body>", f"{below}</body>"))
        print(visible(f"wrote {html}"), file=sys.stderr)
    lost = _lost(graph(), since) if since is not None else {}
    if json:
        print(as_json({"stack": stack, **summary.to_dict(), **lost}))
        return 0
    if html is None:
        write_summary(stack, summary)
    for line in (line for lines in lost.values() for line in lines):
        print(headed("since", f" {since}: {line}", "red"))
    if since is not None and not any(lost.values()):
        print(f"since {visible(str(since))}: no cluster, network or pool is replaced, and nothing is refused")
    return 0


def _lost(after: "Graph", since: Path) -> dict[str, list[str]]:
    """What the change from a graph or a state replaces and what is refused, as sentences."""
    from ..offline.replacements import refusals, replacements
    from ..offline.stack_export import read_before
    from .graph import felt, refused_in_words

    before = read_before(since, after)
    anew = replacements(before, after)
    return {"replaces": felt(anew, after), "refused": refused_in_words(refusals(before, after, anew))}
