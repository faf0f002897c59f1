"""Run a Pulumi program with no engine and no cloud, check what it asks for, and keep its graph.

    graph = preview(program, config={"gcp:project": "p"})
    assert graph.one("gcp:container/cluster:Cluster").inputs["deletionProtection"] is False

Importing this package imports neither Pulumi nor an SDK; `preview` and `check_inputs` do so when they are called.
"""

from typing import TYPE_CHECKING

from .lazy import lazy

if TYPE_CHECKING:
    from .changes import Change as Change, GraphDiff as GraphDiff, diff as diff, render as render
    from .graph import Graph as Graph, Resource as Resource
    from .monitor import Answer as Answer, Unanswered as Unanswered
    from .problems import BrokenProgram as BrokenProgram, Problem as Problem
    from .program import preview as preview, preview_project as preview_project
    from .strict import check_inputs as check_inputs

_MODULES = {
    ".changes": "Change GraphDiff diff render",
    ".graph": "Graph Resource",
    ".monitor": "Answer Unanswered",
    ".problems": "BrokenProgram Problem",
    ".program": "preview preview_project",
    ".strict": "check_inputs",
}
__getattr__, __dir__ = lazy(__name__, _MODULES)
