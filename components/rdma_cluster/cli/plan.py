"""``rdma-cluster plan``: left of the wall, no SDK imported."""

import sys
from collections.abc import Sequence
from pathlib import Path

from ..clouds.stack import summarise_stack
from ..clouds.summary import Summary
from ..offline.project import Settings
from .output import as_json, paragraph, styled, table
from .stack_file import cloud_of, read_stack


def show_plan(stack: str, file: Path | None, overrides: Sequence[str], json: bool, html: Path | None = None) -> int:
    """Print the plan, or write it as a page. Raises ``Refused``."""
    root, settings = read_stack(stack, file, overrides)
    summary = summarise_stack(cloud_of(settings), settings.config, settings.stack)
    if html is not None:
        html.write_text(_page(root, settings, summary), encoding="utf-8")
        print(f"wrote {html}", file=sys.stderr)
    if json:
        print(as_json({"stack": stack, **summary.to_dict()}))
    elif html is None:
        write_summary(stack, summary)
    return 0


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
