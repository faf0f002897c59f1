"""A real API server injects what the command shows, and the scheduler finds the devices that are asked for."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from rdma_cluster.catalog import find
from rdma_cluster.fabrics import FABRICS

from .api import Api, Object
from .cluster import AT_ONCE
from .injected import Policies, pod_for, policies, served

FABRICS_HERE = [name for name in FABRICS if served(name)]


@pytest.fixture(scope="module", params=FABRICS_HERE)
def of_fabric(request: pytest.FixtureRequest, api: Api) -> Iterator[tuple[str, Policies]]:
    """The policies of a cluster that has every machine of a fabric."""
    with policies(api, request.param, served(request.param)) as found:
        yield request.param, found


def every_pod(found: Policies) -> list[Object]:
    """A pod of each machine for each number of GPUs, on each of the rails that it may name."""
    pods = []
    for pattern in found.plan.patterns:
        machine = find(pattern["labels"]["rdma-cluster/machine"])
        assert machine is not None
        for shape in pattern["shapes"]:
            gpus, _, window = shape.partition("-")
            pod = pod_for(machine, int(gpus))
            if window:
                pod["metadata"]["annotations"]["rdma-cluster/rails"] = window
            pods.append(pod)
    return pods


def test_pods_are_stored_as_shown(of_fabric: tuple[str, Policies]):
    """For each machine of the fabric, each number of GPUs and each window of rails."""
    _, found = of_fabric
    pods = every_pod(found)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        both = list(pool.map(found.both, pods))

    assert pods
    for changed, shown in both:
        assert changed == shown
