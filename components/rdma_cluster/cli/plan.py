"""``rdma-cluster plan``: left of the wall, no SDK imported."""

import sys
from collections.abc import Sequence
from pathlib import Path

from ..clouds.stack import summarise_stack
from ..clouds.summary import Summary
from ..offline.project import Settings
from .output import as_json, paragraph, styled, table
from .stack_file import cloud_of, read_stack


def show_plan(
    stack: str,
    file: Path | None,
    overrides: Sequence[str],
    json: bool,
    html: Path | None = None,
    since: Path | None = None,
) -> int:
    """Print the plan, or write it as a page; with ``since`` also what is lost on the way to it. Raises ``Refused``."""
    root, settings = read_stack(stack, file, overrides)
    summary = summarise_stack(cloud_of(settings), settings.config, settings.stack)
    if html is not None:
        html.write_text(_page(root, settings, summary), encoding="utf-8")
        print(f"wrote {html}", file=sys.stderr)
    lost = _lost(root, settings, since) if since is not None else {}
    if json:
        print(as_json({"stack": stack, **summary.to_dict(), **lost}))
    elif html is None:
        write_summary(stack, summary)
        _write_lost(since, lost)
    return 0


def _lost(root: Path, settings: Settings, since: Path) -> dict[str, list[str]]:
    """What the change from a graph or a state replaces and what is refused, as sentences."""
    from ..offline.replacements import refusals, replacements
    from ..offline.states import read_before
    from . import losses
    from .preview import run_program

    after = run_program(root, settings)
    before = read_before(since, after)
    anew = replacements(before, after)
    return {
        "replaces": losses.felt(anew, after),
        "refused": losses.refused(refusals(before, after, anew)),
    }


def _write_lost(since: Path | None, lost: dict[str, list[str]]) -> None:
    for line in (line for lines in lost.values() for line in lines):
        print(paragraph(f"since {since}: {line}").replace("since", styled("since", "red"), 1))
    if since is not None and not any(lost.values()):
        print(f"since {since}: no cluster, network or pool is replaced, and nothing is refused")


def _page(root: Path, settings: Settings, summary: Summary) -> str:
    """The page, with every resource where the cloud's SDK is installed."""
    from ..lazy import MissingSdk
    from .page import write_page
    from .preview import run_program

    try:
        return write_page(settings.stack, summary, run_program(root, settings), "")
    except MissingSdk as missing:
        return write_page(settings.stack, summary, None, f"not listed: {missing}")


def write_summary(stack: str, summary: Summary) -> None:
    """The sections as tables, then the warnings."""
    print(f"stack {styled(stack, 'bold')}\n")
    for section in summary.sections:
        if section.rows:
            print(table(section.rows, section.title))
            print()
    for warning in summary.warnings:
        print(paragraph(f"warning: {warning}").replace("warning:", styled("warning:", "yellow"), 1))
