"""The page of each stack, and what a browser sees of a page."""

from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

from rdma_cluster.cli import stack_file
from rdma_cluster.cli.page.page import write_page
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.common.summary import Summary
from tests.stacks import ROOT, cloud_of, graph_of
from tools.browser.devtools import Window

LOOK = (Path(__file__).parent / "look.js").read_text()


@cache
def summary_of(stack: str) -> Summary:
    """The plan of a stack, as the command tells it."""
    with chdir(ROOT):
        _, settings = read_stack(stack, None, ())
    return stack_file.summary_of(settings)


@cache
def page_of(stack: str) -> str:
    """The text of the page, which shows the graph that the tests share."""
    with chdir(ROOT):
        _, settings = read_stack(stack, None, ())
    project = settings.config.get("gcp:project", "")
    return write_page(stack, summary_of(stack), graph_of(stack), "", cloud=cloud_of(stack), project=project)


def looked_at(page: str, window: Window, width: int, media: str = "screen", scheme: str = "light") -> dict[str, Any]:
    """What a browser sees of a page."""
    window.show(page, width, media, scheme)
    seen = window.value(LOOK)
    assert not window.complaints, "\n".join(window.complaints)
    return seen
