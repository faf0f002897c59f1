"""``rdma-cluster plan``: left of the wall, no SDK imported."""

from collections.abc import Sequence
from pathlib import Path

from ..clouds.stack import summarise_stack
from ..clouds.summary import Summary
from .output import as_json, paragraph, styled, table
from .stack_file import cloud_of, read_stack


def show_plan(stack: str, file: Path | None, overrides: Sequence[str], json: bool) -> int:
    """Print the plan. Raises ``Refused``."""
    _, settings = read_stack(stack, file, overrides)
    summary = summarise_stack(cloud_of(settings), settings.config, settings.stack)
    if json:
        print(as_json({"stack": stack, **summary.to_dict()}))
    else:
        write_summary(stack, summary)
    return 0


def write_summary(stack: str, summary: Summary) -> None:
    """The sections as tables, then the warnings."""
    print(f"stack {styled(stack, 'bold')}\n")
    for name, rows in summary.sections.items():
        if rows:
            print(table(rows, name))
            print()
    for warning in summary.warnings:
        print(paragraph(f"warning: {warning}").replace("warning:", styled("warning:", "yellow"), 1))
