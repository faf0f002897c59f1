"""Policies of injection in a cluster: every machine that a fabric serves, and pods that ask for GPUs only."""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from typing import NamedTuple

from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog import Machine, machines
from rdma_cluster.catalog.machine import INSTANCE_TYPE
from rdma_cluster.fabrics import FABRICS
from rdma_cluster.incluster.addons.injection.args import FabricInjectionArgs
from rdma_cluster.incluster.addons.injection.plan import InjectionPlan, injected_pools, plan_injection
from rdma_cluster.incluster.plan.pool import GpuPool, InClusterPool
from rdma_cluster.injection import SWITCH, Injected, Pattern, inject
from rdma_cluster.injection.device_requests import GPU
from rdma_cluster.injection.pattern import MACHINE_LABEL, VERSION_LABEL
from tests.machines import known_machine
from .api import Api, Object, Refused
from .build import KUBERNETES
from .cluster import Cluster

POOL_LABEL = "example.com/pool"
SECONDS = 30.0
BETA = tuple(map(int, KUBERNETES.split("."))) < (1, 36)


class Policies(NamedTuple):
    """What one fabric's policies are, in a cluster."""

    plan: InjectionPlan
    cluster: Cluster
    elsewhere: Cluster
    """A namespace that the policies do not look at."""

    def both(self, pod: Object) -> tuple[Object, Object]:
        """A pod as the policies leave it, and as the command prints it; the server fills in both."""
        made: Injected = inject(pod, self.plan.patterns, self.plan.scope)
        assert made.refusals == ()
        return stored(self.cluster, pod), stored(self.elsewhere, made.pod)


def args_for(fabric: str, names: Sequence[str], namespace: str) -> FabricInjectionArgs:
    """A cluster with a pool of each machine."""
    return FabricInjectionArgs(
        pools=[InClusterPool(name=name.lower().replace("_", "-"), machine=name, fabric=fabric) for name in names],
        pool_label=POOL_LABEL,
        taint={"key": GPU, "value": "present"},
        claims={"namespaces": [namespace]},
        version=KUBERNETES,
        beta=BETA,
    )


@cache
def served(fabric: str) -> tuple[str, ...]:
    """The machines that can be served by a fabric."""
    return tuple(
        machine.name
        for machine in machines()
        if machine.transport is FABRICS[fabric].transport
        and machine.gpus
        and plan_injection(args_for(fabric, [machine.name], "default"), ErrorList()) is not None
    )


def planned(fabric: str, names: Sequence[str], namespace: str) -> InjectionPlan:
    """The policies of a cluster with these machines."""
    errors = ErrorList()
    plan = plan_injection(args_for(fabric, names, namespace), errors)
    assert plan is not None, errors.found()
    return plan


@contextmanager
def policies(api: Api, fabric: str, names: Sequence[str]) -> Generator[Policies]:
    """A fabric's policies, applied and in force."""
    with in_force(api, lambda namespace: planned(fabric, names, namespace)) as found:
        yield found


@contextmanager
def in_force(api: Api, plan_for: Callable[[str], InjectionPlan]) -> Generator[Policies]:
    """The policies that are planned for a namespace, applied and in force."""
    with Cluster(api) as cluster, Cluster(api) as elsewhere:
        plan = plan_for(cluster.namespace)
        for each in plan.policies:
            applied = cluster.apply(dict(each))
            assert applied.warnings == []
        for pattern in plan.patterns:
            await_pattern(cluster, pattern)
        yield Policies(plan, cluster, elsewhere)


def await_pattern(cluster: Cluster, pattern: Pattern) -> None:
    """An API server knows of policies a moment after it took them."""
    given = pattern["labels"]
    machine = known_machine(given[MACHINE_LABEL])
    unknown = pod_for(machine, machine.gpus)
    unknown["spec"]["nodeSelector"] = {INSTANCE_TYPE: "m5.large"}
    deadline = time.monotonic() + SECONDS
    while not (
        version_of(cluster, pod_for(machine, machine.gpus)) == given[VERSION_LABEL]
        and version_of(cluster, pod_for(machine, 99)) == version_of(cluster, unknown) == "refused"
    ):
        assert time.monotonic() < deadline, machine.name
        time.sleep(0.1)


def version_of(cluster: Cluster, pod: Object) -> str:
    """What was injected, or that the pod was refused."""
    try:
        return stored(cluster, pod)["metadata"].get("labels", {}).get(VERSION_LABEL, "")
    except Refused:
        return "refused"


def pod_for(machine: Machine, gpus: int, name: str = "pod") -> Object:
    """A pod of a user who knows nothing of fabrics."""
    container = {"name": "main", "image": "registry.example/train:1", "resources": {"limits": {GPU: str(gpus)}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "annotations": {SWITCH: "true"}},
        "spec": {
            "automountServiceAccountToken": False,
            "nodeSelector": {INSTANCE_TYPE: machine.name},
            "containers": [container],
        },
    }


def stored(cluster: Cluster, pod: Object) -> Object:
    """What the API server would store."""
    asked = deepcopy(pod)
    asked["metadata"]["namespace"] = cluster.namespace
    return comparable(cluster.api.create(asked, dry_run=True))


def comparable(pod: Object) -> Object:
    """Without what is another in each pod, and with tolerations in one order: the server adds its own in between."""
    spec = dict(pod["spec"])
    spec["tolerations"] = sorted(spec.get("tolerations", ()), key=str)
    kept = {key: pod["metadata"][key] for key in ("labels", "annotations") if key in pod["metadata"]}
    return {"metadata": kept, "spec": spec}


def pool_of(fabric: str, machine: str, namespace: str) -> tuple[GpuPool, list[Object]]:
    """A machine's pool, and the claim templates that its pods may name."""
    errors, args = ErrorList(), args_for(fabric, [machine], namespace)
    given = injected_pools(args, errors)
    assert not errors, errors.found()
    (pool,), claims = given.pools, given.claims
    found = claims.templates(machine, pool.allocation) if claims else []
    return pool, [template.manifest(namespace) for template in found]


FABRICS_HERE = [name for name in FABRICS if served(name)]


SOME = {
    "efa-device-plugin": ["p5.48xlarge", "p4d.24xlarge"],
    "efa": ["p5.48xlarge"],
    "gib": ["a4-highgpu-8g", "a3-ultragpu-8g"],
    "infiniband-rdma-ib": ["Standard_ND96isr_H100_v5"],
    "roce-host": ["BM.GPU.H100.8"],
    "roce-mlnxnics": ["BM.GPU.B200.8"],
}
