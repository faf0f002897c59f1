"""Networks that exist already: how many rails, which NICs have a VPC of their own, and what stands beside them."""

from typing import Any

import pytest
from tests.gke.plans import PRIMARY, SECOND, pool, rails, refused, stack_plan

A4, A4X, METAL, MEGA = "a4-highgpu-8g", "a4x-highgpu-4g", "a4x-maxgpu-4g-metal", "a3-megagpu-8g"
MANAGED, BY_GKE = {"mode": "managed"}, {"mode": "managed-auto"}
GVNIC = {"gvnic": SECOND}


def plain(count: int) -> list[dict[str, str]]:
    """A VPC for each rail."""
    return [{"network": f"plain-{i}", "subnetwork": f"lane-{i}"} for i in range(count)]


def wrong(machines: list[str], mode: dict[str, Any], nodes: int = 2, **existing: Any) -> list[str]:
    """What is refused of pools of these machines on networks that exist, below `network.existing` or not."""
    pools = [pool(name, f"p{i}", nodes=nodes, gpu_allocation="device-plugin") for i, name in enumerate(machines)]
    found = refused(stack_plan, *pools, network={"existing": {**PRIMARY, **existing}, **mode})
    return [path.removeprefix("network.existing.") for path in found]


@pytest.mark.parametrize(
    ("machines", "mode", "existing", "paths"),
    [
        ([A4], {}, {**GVNIC, "rails": rails(8)}, []),
        ([A4], {}, {**GVNIC, "rails": rails(9)}, ["rails"]),
        ([A4X, A4], MANAGED, {**GVNIC, "rails": rails(8)}, []),
        ([A4X, A4], MANAGED, {**GVNIC, "rails": rails(4)}, ["rails"]),
        ([A4, A4X], MANAGED, {**GVNIC, "rails": rails(4)}, ["rails"]),
        ([METAL], {}, {**GVNIC, "rails": rails(1)}, []),
        ([METAL], {}, {**GVNIC, "rails": []}, ["rails"]),
        ([MEGA], {}, {"rails": plain(8)}, []),
        ([A4], BY_GKE, {"rails": []}, []),
        ([A4], {}, {"gvnic": {**SECOND, "network": "vpc"}, "rails": rails(8)}, ["gvnic.network"]),
        # What an unknown machine needs nobody can say, and its name is an error already.
        ([A4, "no-machine"], {}, {"rails": rails(1)}, ["pools[1].machine"]),
    ],
)
def test_networks_that_exist_have_a_subnet_for_each_rail(
    machines: list[str], mode: dict[str, Any], existing: dict[str, Any], paths: list[str]
):
    """The widest machine counts, wherever it stands; the rails of bare metal share one subnet."""
    assert wrong(machines, mode, **existing) == paths


def test_networks_that_exist_hold_as_many_nodes_as_a_cluster():
    """How many addresses are left in them cannot be known."""
    assert wrong([A4, A4], {}, nodes=7_500, **GVNIC, rails=rails(8)) == []
    assert wrong([A4, A4], {}, nodes=7_501, **GVNIC, rails=rails(8)) == ["pools"]
