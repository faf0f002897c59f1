"""`python -m tests.api`: read anew what the clouds' API models say of the inputs that our programs set."""

from importlib import import_module

from tests.api.known import of_graphs, write
from tests.api.tables import tables
from tests.api.test_api import SDKS
from tests.stacks import graph_of

for sdk, clouds in SDKS.items():
    model = import_module(f"tests.{clouds[0].name}.api_tables").MODEL
    graphs = (graph_of(*graph) for cloud in clouds for graph in cloud.graphs.values())
    write(sdk, *model, of_graphs(tables(), graphs))
