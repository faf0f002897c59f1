"""``rdma-cluster drift``: what a living stack's state has otherwise than its configuration says."""

from collections.abc import Sequence
from pathlib import Path

from .stack_file import read_stack


def show_drift(stack: str, file: Path | None, overrides: Sequence[str], json: bool, state: Path) -> int:
    """Print the difference from a state to what the configuration would make. Returns 1 when there is one.

    ``state`` is what `pulumi stack export` writes; it holds what the last `up` or `refresh` saw, not the cloud itself.
    Raises ``Refused`` for a configuration that cannot work, and for a file that holds no state.
    """
    from ..offline import diff
    from ..offline.replacements import refusals, replacements
    from ..offline.stack_export import read_before
    from .graph import changes_in_json, changes_in_words
    from .preview import run_program

    root, settings = read_stack(stack, file, overrides)
    after = run_program(root, settings)
    before = read_before(state, after)
    changes, anew = diff(before, after), replacements(before, after)
    refused = refusals(before, after, anew)
    if json:
        print(changes_in_json(changes, anew, refused))
    elif changes:
        print(changes_in_words(changes, anew, after, refused), end="")
    else:
        print(f"stack {stack} is as its configuration says: {len(after.resources)} resources")
    return 1 if changes else 0
