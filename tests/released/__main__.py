"""`python -m tests.released [STACK]...`: record what this version makes, until it is released."""

import sys

from rdma_cluster import __version__
from tests.released.record import graphs_of, is_released, path_of, write
from tests.stacks import STACKS, graph_of

if is_released(__version__):
    sys.exit(f"{__version__} is released: users have what its record says; raise __version__ first")
for stack in sys.argv[1:] or STACKS:
    path = path_of(__version__, stack)
    path.parent.mkdir(exist_ok=True)
    path.write_text(write({name: graph_of(*graph) for name, graph in graphs_of(stack).items()}))
    print(path.name)
