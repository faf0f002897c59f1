"""`python -m tests.api [CLOUD]...`: read anew what the clouds' API models say of the inputs that our programs set."""

import sys
from importlib import import_module

from tests.api.known import of_graphs, write
from tests.clouds import clouds
from tests.stacks import graph_of

for cloud in clouds():
    if cloud.name in (sys.argv[1:] or [each.name for each in clouds()]):
        tables = import_module(f"tests.{cloud.name}.api_tables")
        graphs = [graph_of(*graph) for graph in cloud.graphs.values()]
        write(cloud.sdk_package, *tables.MODEL, of_graphs(tables.TABLES, graphs))
