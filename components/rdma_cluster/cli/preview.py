"""``rdma-cluster preview``: the plan, then the program itself with every resource it would make."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..nccl.visible import visible
from ..offline import Graph
from ..offline.problems import BrokenProgram
from ..offline.project import Settings, program_of
from ..offline.replacements import broken_in
from .broken import told_once
from .output import as_json, styled, write_summary
from .signals import Signals
from .stack_file import read_stack, summary_of


def show_preview(stack: str, file: Path | None, overrides: Sequence[str], json: bool) -> int:
    """Print the plan and the graph, or the graph's JSON alone. Raises ``Refused``."""
    started = time.perf_counter()
    root, settings = read_stack(stack, file, overrides)
    summary = summary_of(settings)
    graph = built(root, settings)
    if graph is None:
        return 2
    broken = broken_in(graph)
    if json:
        print(as_json(graph.to_dict()))
    else:
        write_summary(stack, summary)
        _write_tree(graph)
        components = sum(resource.type.startswith("rdma-cluster:") for resource in graph.resources)
        seconds = time.perf_counter() - started
        print(
            f"\n{len(graph.resources) - components} resources in {components} components, "
            f"every input checked against its SDK, in {seconds:.1f} s"
        )
        if not broken:
            print("no constraint of the cloud is broken")
    for name, constraint in told_once(broken):
        where = f"{constraint.path}: " if constraint.path else ""
        source = f"{constraint.source.ref}, {constraint.source.seen}"
        print(visible(f"{name}: {where}{constraint.words} ({source})"), file=sys.stderr)
    return 2 if broken else 0


def built(root: Path, settings: Settings) -> Graph | None:
    """The graph of the program; ``None``, and a message, if the engine would refuse it."""
    try:
        return run_program(root, settings)
    except BrokenProgram as broken:
        print(broken, file=sys.stderr)
        return None


def run_program(root: Path, settings: Settings) -> Graph:
    """The graph of the project's own program under these settings."""
    from logging import NullHandler, getLogger
    from tempfile import gettempdir

    from ..offline import preview

    with Signals():  # Python tries the folder with a file, on behalf of a library of Pulumi's
        gettempdir()
    # The program logs the plan's warnings to the engine; the command prints them itself.
    getLogger("pulumi").addHandler(NullHandler())
    with program_of(root) as main:
        return preview(
            main, project=settings.project, stack=settings.stack, config=settings.config, secrets=settings.secrets
        )


def _write_tree(graph: Graph) -> None:
    children = graph.by_parent()

    def grow(parent: str | None, margin: str) -> None:
        below = children.get(parent, [])
        for resource in below:
            last = resource is below[-1]
            print(f"{margin}{'└' if last else '├'}── {visible(resource.kind)} {styled(resource.name, 'bold')}")
            grow(resource.urn, margin + ("    " if last else "│   "))

    print(f"what `pulumi up` would make in stack {styled(graph.stack, 'bold')}")
    grow(None, "")
