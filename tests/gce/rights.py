"""Who may do what in Google Cloud, and who reaches what, where machines are no cluster."""

from collections.abc import Iterator

from pulumi_offline import Graph
from tests.rights.google import members, openings
from tests.rights.right import Right


def rights(graph: Graph) -> Iterator[Right]:
    """Roles of accounts, openings of networks, scopes of machines, and what they run as root."""
    yield from members(graph)
    yield from openings(graph)
    for machine in graph.of_type("gcp:compute/instance:Instance"):
        for scope in machine.inputs["serviceAccount"]["scopes"]:
            yield Right("machines", f"the scope {scope.rpartition('/')[2]} of their account", "the project")
        if "--privileged" in str(machine.inputs.get("metadata", {})) + str(machine.inputs.get("metadataStartupScript")):
            yield Right("machines: tcpx-daemon", "privileged", "its machine")
