"""`python -m tests.api`: read anew what the clouds' API models say of the inputs that our programs set."""

from importlib import import_module

from tests.api.known import of_graphs, write
from tests.api.test_api import SDKS, TABLES
from tests.stacks import graph_of

asked = {cloud.sdk_package for cloud in clouds() if cloud.name in (sys.argv[1:] or [each.name for each in clouds()])}
for sdk in sorted(asked):
    of_sdk = [cloud for cloud in clouds() if cloud.sdk_package == sdk]
    rooms = [import_module(f"tests.{cloud.name}.api_tables") for cloud in of_sdk]
    (model,) = {room.MODEL for room in rooms}
    graphs = [graph_of(*graph) for cloud in of_sdk for graph in cloud.graphs.values()]
    write(sdk, *model, of_graphs([table for room in rooms for table in room.TABLES], graphs))
for sdk, clouds in SDKS.items():
    model = import_module(f"tests.{clouds[0].name}.api_tables").MODEL
    graphs = (graph_of(*graph) for cloud in clouds for graph in cloud.graphs.values())
    write(sdk, *model, of_graphs(TABLES, graphs))
