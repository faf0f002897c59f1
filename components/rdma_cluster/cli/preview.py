"""``rdma-cluster preview``: the plan, then the program itself with every resource it would make."""

import sys
import time
from pathlib import Path

from pulumi_offline import Graph
from pulumi_offline.project import Settings
from pulumi_offline.replacements import broken_in
from pulumi_offline.visible import visible
from .broken import told_once
from .output import as_json, styled, write_summary
from .signals import Signals
from .stack_file import StackVerb, summary_of


class Preview(StackVerb):
    """Print the plan and the graph, or the graph's JSON alone. Returns 2 where a cloud would refuse a resource."""

    def run(self) -> int:
        started = time.perf_counter()
        root, settings = self.read()
        summary = summary_of(settings)
        graph = run_program(root, settings)
        broken = broken_in(graph)
        if self.json:
            print(as_json(graph.to_dict()))
        else:
            write_summary(self.stack, summary)
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


def run_program(root: Path, settings: Settings) -> Graph:
    """The graph of the project's own program under these settings. Raises ``BrokenProgram``."""
    from logging import NullHandler, getLogger
    from tempfile import gettempdir

    from pulumi_offline import preview_project

    with Signals():  # Python tries the folder with a file, on behalf of a library of Pulumi's
        gettempdir()
    # The program logs the plan's warnings to the engine; the command prints them itself.
    getLogger("pulumi").addHandler(NullHandler())
    return preview_project(root, settings)


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
