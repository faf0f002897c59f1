"""A file system comes once the nodes are there, and a protected one does not keep them."""

import asyncio
from contextlib import nullcontext
from typing import Any

from tests.oke.plans import COMPARTMENT, IN_CLUSTER

ARGS: Any = {**IN_CLUSTER, "subnet": "s", "namespaces": ["a"], "lustre": {"capacity_gb": 31_200}}
FILES = "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem"
NODES = "oci:Core/computeCluster:ComputeCluster"


def registered() -> tuple[list[str], tuple[str, ...]]:
    """Types in the order in which the engine hears of them, and what the file system depends on; nodes take a while."""
    from pulumi_offline.invoke_results import KNOWN
    from pulumi_offline.monitor import Monitor
    from pulumi_offline.project import Settings
    from pulumi_offline.runtime import run

    order: list[str] = []

    class Ordered(Monitor):
        def RegisterResource(self, request: Any) -> Any:
            order.append(request.type)
            return super().RegisterResource(request)

    async def late() -> str:
        await asyncio.sleep(0.1)
        return "nodes"

    def program() -> None:
        import pulumi
        import pulumi_oci as oci
        from rdma_cluster.oke.storage import OkeStorage

        name = pulumi.Output.from_input(late())
        nodes = oci.core.ComputeCluster("nodes", availability_domain="a", compartment_id=COMPARTMENT, display_name=name)
        OkeStorage("oke", ARGS, after=[nodes])

    monitor = Ordered(Settings("project", "dev"), KNOWN)
    run(nullcontext(program), monitor, Settings("project", "dev"))
    return [each for each in order if each in (FILES, NODES)], monitor.graph().one(FILES).dependencies


def test_a_file_system_waits_for_nodes():
    """Though they take their time: by its subnet, and not as a dependency, which a protected one would keep."""
    assert registered() == ([NODES, FILES], ())
