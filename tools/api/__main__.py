"""`python -m tools.api`: read anew what the clouds' API models say of the inputs that our programs set."""

from importlib import import_module

from tests.stacks import graph_of
from tests.tools.api.sdks import SDKS
from tools.api.known import of_graphs, write
from tools.api.tables import tables

for sdk, clouds in SDKS.items():
    model = import_module(f"tests.{clouds[0].name}.api_tables").MODEL
    graphs = (graph_of(*graph) for cloud in clouds for graph in cloud.graphs.values())
    write(sdk, *model, of_graphs(tables(), graphs))
