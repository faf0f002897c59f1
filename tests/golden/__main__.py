"""`python -m tests.golden [STACK]...`: write the golden graphs anew, and say what changes."""

import sys

from pulumi_offline import diff, render
from tests.golden.files import condensed, first_of, kept, path_of, write
from tests.stacks import STACKS, graph_of

before = {stack: kept(stack) for stack in STACKS if path_of(stack).exists()}
for stack in sys.argv[1:] or STACKS:
    graph, path = condensed(graph_of(stack)), path_of(stack)
    changes = render(diff(before[stack], graph)) if stack in before else f"+ {len(graph.resources)} resources\n"
    path.parent.mkdir(exist_ok=True)
    first = first_of(stack)
    path.write_text(write(graph, condensed(graph_of(first)) if first else None))
    print(f"{stack}: {'no change' if not changes else ''}\n{changes}", end="")
