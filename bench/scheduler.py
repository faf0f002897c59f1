"""``make bench-scheduler``: aligned claims on simulated A4 nodes, through the real kube-scheduler.

Every node is to be filled by four pods of two GPUs and two NICs. The pods of one window of rails are a job, so there
are four jobs with a pod on each node. Three forms of the same claim are compared: ours; the same selectors under a
single constraint over all four devices; and the claim of the source document, which has that constraint and leaves the
rails open (its ``index`` selectors, which no release satisfies together with ``pcieRoot``, are taken out).
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rdma_cluster.catalog import find
from rdma_cluster.claims import Constraint, Pairs, Request, Target, Template, offers, templates
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.claims.target import PCIE_ROOT, pin
from rdma_cluster.injection import inject
from tests.controlplane.api import Api, Object
from tests.controlplane.cluster import SETTLE_SECONDS, Cluster
from tests.controlplane.injected import pod_for, policies
from tests.controlplane.kubeconfig import connect
from tests.controlplane.scenarios import claiming_pod, device_classes, devices_by_pod
from tests.controlplane.servers import control_plane

SIZES = (10, 100, 1000)
PATIENCE_SECONDS = 7200.0
TARGET = Target()
A4 = find("a4-highgpu-8g")
assert A4 is not None


@dataclass(frozen=True)
class Result:
    """What one run came to."""

    seconds: float
    """From the first pod's creation to the last verdict."""
    cpu_seconds: float
    """What the scheduler itself worked in that time; other programs on the machine change it little."""
    pods: int
    placed: int
    stranded: int
    """GPUs that were there for the pods, and that nobody holds at the end."""
    split_jobs: int
    """Jobs whose pods hold different rails on different nodes, so that their NICs do not reach each other."""


def ours() -> list[Template]:
    """Two pairs on each of the four windows of rails: one request for the rails of a root, one for its GPUs."""
    assert A4 is not None
    return [template for window in offers(A4, Pairs(2), TARGET) for template in templates(A4, window, TARGET)]


def request_a_device() -> list[Template]:
    """The same devices, asked for one by one: GPU before NIC, a constraint a pair, a selector a condition."""
    return [_one_by_one(f"device-{job}", (2 * job, 2 * job + 1), a_pair=True) for job in range(len(ours()))]


def one_constraint() -> list[Template]:
    """That, with all four devices under one constraint."""
    return [_one_by_one(f"constraint-{job}", (2 * job, 2 * job + 1), a_pair=False) for job in range(len(ours()))]


def rails_open() -> list[Template]:
    """As in the document: any two RDMA NICs beside any two GPUs, if only all four share a root."""
    return [_one_by_one(f"rails-open-{job}", (None, None), a_pair=False) for job in range(len(ours()))]


def _one_by_one(name: str, rails: Sequence[int | None], *, a_pair: bool) -> Template:
    assert A4 is not None
    requests: list[Request] = []
    for index, rail in enumerate(rails):
        pinned = pin(A4, TARGET, (rail,)) if rail is not None else None
        selectors = (_RDMA, *([pinned] if pinned else []))
        requests.append(Request(f"gpu-{index}", TARGET.gpu_class))
        requests.append(Request(f"nic-{index}", TARGET.nic_class, selectors=selectors))
    pairs = [(f"gpu-{index}", f"nic-{index}") for index in range(len(rails))] if a_pair else [()]
    return Template(name, tuple(requests), tuple(Constraint(PCIE_ROOT, pair) for pair in pairs))


_GPUS_A_POD = 2
_RDMA = 'device.attributes["dra.net"].?rdma.orValue(false)'
FORMS = {"ours": ours, "request-a-device": request_a_device, "one-constraint": one_constraint, "rails-open": rails_open}


def measure(nodes: int, jobs: Sequence[Template], share: int = 1) -> Result:
    """Fill that many nodes, or every so many-th of them, in a control plane of their own."""
    assert A4 is not None
    names = [f"a4-{i:04}" for i in range(nodes)]
    with tempfile.TemporaryDirectory() as folder, control_plane(Path(folder)) as path, connect(path) as http:
        cluster = Cluster(Api(http)).__enter__()  # left as it is: its servers end here
        cluster.create_all(device_classes([TARGET]))
        cluster.create_all([template.manifest(cluster.namespace) for template in jobs])
        cluster.add_nodes(names)
        cluster.create_all([each.manifest() for name in names for each in resource_slices(A4, TARGET, name)])
        counts = range(0, nodes, share)
        pods = [claiming_pod(f"{job}-{i}", [each.name], {}) for job, each in enumerate(jobs) for i in counts]

        worked, started = cpu_seconds(path), time.monotonic()
        placements = cluster.schedule_all(pods, PATIENCE_SECONDS)
        seconds, worked = time.monotonic() - started, cpu_seconds(path) - worked

        held = devices_of_pods(cluster)
        placed = [pod for pod, placement in placements.items() if placement.node]
        if len(placed) < len(pods):
            seconds -= SETTLE_SECONDS  # a refusal has to stand that long before it counts
        return Result(
            seconds,
            worked,
            len(pods),
            len(placed),
            _GPUS_A_POD * len(pods) - sum(name.startswith("gpu-") for devices in held.values() for name in devices),
            sum(len(rails) > 1 for rails in rails_of_jobs(held).values()),
        )


def cpu_seconds(kubeconfig: Path) -> float:
    """Processor time of the scheduler that uses this kubeconfig."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            program, *arguments = (folder / "cmdline").read_bytes().decode().split("\0")
            stat = (folder / "stat").read_text()
        except OSError:  # it ended while we looked
            continue
        if program.endswith("kube-scheduler") and f"--kubeconfig={kubeconfig}" in arguments:
            user, system = stat.rpartition(")")[2].split()[11:13]
            return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    raise RuntimeError(f"no kube-scheduler with {kubeconfig}")


def devices_of_pods(cluster: Cluster) -> dict[str, set[str]]:
    """Names of the devices that each pod holds on its node."""
    return {
        pod: {name for requests in claims.values() for names in requests.values() for name in names}
        for pod, claims in devices_by_pod(cluster).items()
    }


def rails_of_jobs(held: Mapping[str, set[str]]) -> dict[str, set[frozenset[str]]]:
    """The sets of rails that the pods of each job hold."""
    found: dict[str, set[frozenset[str]]] = {}
    for pod, devices in held.items():
        rails = frozenset(name for name in devices if name.startswith("rail-"))
        found.setdefault(pod.partition("-")[0], set()).add(rails)
    return found


REQUESTS = 200
MACHINES = {"efa-device-plugin": "p5.48xlarge", "gib": "a4-highgpu-8g", "tcpxo": "a3-megagpu-8g"}


def admission(api: Api) -> dict[str, tuple[float, float]]:
    """By machine: milliseconds to admit a pod written out by hand, and the ratio of an injected pod to it.

    No policy looks at the one written by hand.
    """
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


def main() -> None:
    """Print a line for each size and form as each is done, and what injection adds to a pod's admission."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=SIZES, help="default: 10 100 1000")
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS))
    parser.add_argument("--share", type=int, default=1, help="a pod for every so many-th node alone. Default: 1")
    options = parser.parse_args()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    print(f"{os.cpu_count()} cores, {memory:.0f} GiB")
    print(f"{'form':<18}{'nodes':>6}{'pods':>6}{'seconds':>9}{'ms a pod':>10}{'CPU ms a pod':>14}{'growth':>8}", end="")
    print(f"{'placed':>8}{'stranded GPUs':>15}{'jobs on mixed rails':>21}", flush=True)
    first: dict[str, float] = {}
    for nodes in options.nodes:
        for form in options.forms:
            result = measure(nodes, FORMS[form](), options.share)
            each, work = 1000 * result.seconds / result.pods, 1000 * result.cpu_seconds / result.pods
            growth = work / first.setdefault(form, work)
            print(f"{form:<18}{nodes:>6}{result.pods:>6}{result.seconds:>9.1f}{each:>10.1f}{work:>14.1f}", end="")
            print(f"{growth:>8.1f}{result.placed:>8}{result.stranded:>15}{result.split_jobs:>21}", flush=True)
    with tempfile.TemporaryDirectory() as folder, control_plane(Path(folder)) as path, connect(path) as http:
        for machine, (milliseconds, ratio) in admission(Api(http)).items():
            print(f"{machine}: {milliseconds:.1f} ms to admit a pod by hand, {ratio:.2f} times that one injected")


if __name__ == "__main__":
    main()
