"""`python -m tests.golden [STACK]...`: write the golden graphs anew, and say what changes."""

import sys

from rdma_cluster.offline import diff, render

from tests.golden.files import condensed, path_of, read, write
from tests.stacks import STACKS, graph_of

for stack in sys.argv[1:] or STACKS:
    graph, path = condensed(graph_of(stack)), path_of(stack)
    changes = render(diff(read(path.read_text()), graph)) if path.exists() else f"+ {len(graph.resources)} resources\n"
    path.parent.mkdir(exist_ok=True)
    path.write_text(write(graph))
    print(f"{stack}: {'no change' if not changes else ''}\n{changes}", end="")
