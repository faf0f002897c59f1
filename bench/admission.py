"""How long an API server takes to admit a pod that is injected, against the same pod written out by hand."""

import statistics
import time
from collections.abc import Callable

from rdma_cluster.catalog import find
from rdma_cluster.injection import inject

from tests.controlplane.api import Api, Object
from tests.controlplane.injected import pod_for, policies

REQUESTS = 200
MACHINES = {"efa-device-plugin": "p5.48xlarge", "gib": "a4-highgpu-8g", "tcpxo": "a3-megagpu-8g"}


def ratios(api: Api) -> dict[str, tuple[float, float]]:
    """By machine: milliseconds of a pod by hand where no policy looks, and the ratio of an injected pod to it."""
    found = {}
    for fabric, name in MACHINES.items():
        machine = find(name)
        assert machine is not None
        with policies(api, fabric, [name]) as here:
            asked = pod_for(machine, machine.gpus)
            by_hand = inject(asked, here.plan.patterns, here.plan.scope).pod
            injected, written = (
                _request(api, pod, cluster.namespace)
                for pod, cluster in ((asked, here.cluster), (by_hand, here.elsewhere))
            )
            times: dict[Callable[[], object], list[float]] = {injected: [], written: []}
            for _ in range(REQUESTS):  # by turns, so that other work on the machine meets both
                for request, taken in times.items():
                    started = time.perf_counter()
                    request()
                    taken.append(time.perf_counter() - started)
            first, second = (statistics.median(times[each]) for each in (injected, written))
            found[name] = (second * 1000, first / second)
    return found


def _request(api: Api, pod: Object, namespace: str) -> Callable[[], object]:
    asked = {**pod, "metadata": {**pod["metadata"], "namespace": namespace}}
    return lambda: api.create(asked, dry_run=True)
