"""`python -m tests.api [CLOUD]...`: read anew what the clouds' API models say of the inputs that our programs set."""

import sys
from importlib import import_module

from tests.api.known import of_graphs, write
from tests.clouds import clouds
from tests.stacks import graph_of

asked = {cloud.sdk_package for cloud in clouds() if cloud.name in (sys.argv[1:] or [each.name for each in clouds()])}
for sdk in sorted(asked):
    of_sdk = [cloud for cloud in clouds() if cloud.sdk_package == sdk]
    rooms = [import_module(f"tests.{cloud.name}.api_tables") for cloud in of_sdk]
    (model,) = {room.MODEL for room in rooms}
    graphs = [graph_of(*graph) for cloud in of_sdk for graph in cloud.graphs.values()]
    write(sdk, *model, of_graphs([table for room in rooms for table in room.TABLES], graphs))
