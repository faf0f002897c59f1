"""Run a Pulumi program with no engine and no cloud, check what it asks for, and keep its graph.

    graph = preview(program, config={"gcp:project": "p"})
    assert graph.one("gcp:container/cluster:Cluster").inputs["deletionProtection"] is False

Importing this package imports neither Pulumi nor an SDK; `preview` and `check_inputs` do so when they are called.
"""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from .changes import Change, GraphDiff, diff, render
    from .graph import Graph, Resource
    from .monitor import Answer, Unanswered
    from .problems import BrokenProgram, Problem
    from .program import preview
    from .strict import check_inputs

__all__ = [
    "Answer",
    "BrokenProgram",
    "Change",
    "Graph",
    "GraphDiff",
    "Problem",
    "Resource",
    "Unanswered",
    "check_inputs",
    "diff",
    "preview",
    "render",
]

__getattr__ = lazy(
    __name__,
    {
        ".changes": ["Change", "GraphDiff", "diff", "render"],
        ".graph": ["Graph", "Resource"],
        ".monitor": ["Answer", "Unanswered"],
        ".problems": ["BrokenProgram", "Problem"],
        ".program": ["preview"],
        ".strict": ["check_inputs"],
    },
)
