"""A queue for each pool: which objects Kueue is given, what it counts, and how it reads the network's shape."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, NotRequired

from typing_extensions import TypedDict

from ...args import shape
from ...catalog import charts, images
from ...catalog.artifact import Chart, mirrored
from ...catalog.machine import Machine
from ...catalog.vcpus import vcpus_of
from ...clouds.names import check_key, check_taint, check_taken
from ...fabrics import Claims, ExtendedResource, Fabric, GpuAllocation
from ...fabrics.rollout import tolerations
from ...faults import Faults
from ...unread import UNREAD, holds, items, readable, rule
from .charts import Settings
from .claim_templates import DEFAULT_NAMESPACES, OUR_NAMESPACES, check_namespace, new_namespaces
from .images import check_registries
from .injection import InjectionPool, check_pools, machine_and_fabric
from .workload import Workload

HOSTNAME = "kubernetes.io/hostname"
"""The lowest level of every topology: with it alone Kueue heeds taints, and takes another node for one that failed."""
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PREFERRED = "kueue.x-k8s.io/podset-preferred-topology"
API_VERSION = "kueue.x-k8s.io/v1beta2"
GPU, NIC, CHANNEL = "nvidia.com/gpu", "rdma-cluster/nic", "rdma-cluster/imex-channel"
"""What quotas count. GPUs have one name whoever hands them out, so that a queue has one number of them."""
_CHANNEL_CLASS = "compute-domain-default-channel.nvidia.com"
_GPU_CLASS = "gpu.nvidia.com"


@shape
class QueueRules(TypedDict):
    """How jobs wait."""

    topology: NotRequired[dict[str, list[str]]]
    """Labels of a pool's nodes that tell where in the network they are, the widest first, by pool; ``[]`` is nothing
    but which host. Default: the cloud's own, where the pool's nodes are known to have them. Example:
    ``{"h100": ["oci.oraclecloud.com/rdma.network_block_id", "oci.oraclecloud.com/rdma.local_block_id"]}``."""
    priorities: NotRequired[dict[str, int]]
    """PriorityClasses that a job's pods may name; a job that names none has 0. Default:
    ``{"low": -100, "high": 100}``."""
    preemption: NotRequired[bool]
    """Whether a job may stop running ones of lower priority. Default: false, it only starts before those that wait."""
    ready_minutes: NotRequired[int]
    """Minutes until all pods of an admitted job must run, pull of images included; then it goes back into its queue.
    Default: 30."""


@shape
class QueueChoice(QueueRules):
    """Whether jobs wait in queues that know GPUs, NICs and the network."""

    enabled: bool
    """Install Kueue and JobSet, and make a queue of every pool."""


@shape
class QueuePool(InjectionPool):
    """A pool that gets a queue of its name."""

    nodes: int
    """How many nodes it has; quotas are counted from them."""


@shape
class QueuesArgs(QueueRules):
    """The pools of a cluster, and who may queue."""

    pools: list[QueuePool]
    """The GPU pools."""
    pool_label: str
    """Node label that holds a pool's name. Example: ``eks.amazonaws.com/nodegroup``."""
    taint: NotRequired[dict[str, str]]
    """Key and value of the GPU taint, ``{"key": ..., "value": ...}``. Default: none."""
    other_taints: NotRequired[dict[str, str]]
    """Values by key of taints that some of the nodes have besides. Default: none."""
    namespaces: NotRequired[list[str]]
    """Namespaces whose jobs may queue. Default: ``["default"]``."""
    create_namespaces: NotRequired[bool]
    """Make the namespaces, those of Kubernetes itself aside. Default: false."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold charts and images, by prefix of their references. Default: nowhere."""


@dataclass(frozen=True)
class QueuedPool:
    """A pool, as its queue must know it."""

    name: str
    machine: Machine
    nodes: int
    fabric: Fabric
    allocation: GpuAllocation
    levels: tuple[str, ...] = ()
    """Labels of its nodes that tell where in the network they are, the widest first."""


@dataclass(frozen=True)
class QueuesPlan:
    """What ``Queues`` makes."""

    charts: tuple[Settings, Settings]
    """JobSet's and Kueue's."""
    new_namespaces: tuple[str, ...]
    priorities: Mapping[str, int]
    """Values of PriorityClasses by name."""
    stages: tuple[tuple[Mapping[str, Any], ...], ...]
    """Objects in the API's own form: those of a stage name those of the one before, and must leave before them."""
    queues: Mapping[str, str]
    """Names of the queues by pool; the same in every namespace."""
    levels: Mapping[str, tuple[str, ...]]
    """The labels of each pool's topology, hosts last; none for a pool whose queue has no topology."""
    warnings: tuple[str, ...] = ()


_DEFAULT_PRIORITIES = {"low": -100, "high": 100}
_READY_MINUTES = 30
_MOST_LEVELS = 15  # besides the hosts; Topology takes 16
_MOST = 1_000_000_000  # of a priority; above are those of Kubernetes itself
_PODS_A_NODE = 110
"""The kubelet's default. A job's every pod must use something that is counted, or it gets no node of its pool; this
much of it no job of GPUs reaches."""
_CLASS_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?")
_FRAMEWORKS = (
    "batch/job",
    "jobset.x-k8s.io/jobset",
    "kubeflow.org/mpijob",
    "trainer.kubeflow.org/trainjob",
    "pod",
    "leaderworkerset.x-k8s.io/leaderworkerset",
)
"""What is queued. A LeaderWorkerSet is queued pod by pod."""


@rule
def decide_queues(args: QueuesArgs, faults: Faults) -> QueuesPlan | None:
    """All choices of ``Queues``. Returns ``None`` when a fault was added."""
    found = [_given(pool, faults.at("pools", i)) for i, pool in enumerate(items(args["pools"]))]
    check_pools(args["pools"], faults.at("pools"))
    _check_namespaces(args.get("namespaces", DEFAULT_NAMESPACES), faults.at("namespaces"))
    check_key(args["pool_label"], faults.at("pool_label"))
    if "taint" in args:
        check_taint(args["taint"], faults.at("taint"))
    check_registries(args.get("registries", {}), faults.at("registries"))
    return plan_queues(args, [pool for pool in found if pool is not None], faults)


@rule
def _given(pool: QueuePool, faults: Faults) -> QueuedPool | None:
    if (found := machine_and_fabric(pool, faults)) is None:
        return None
    machine, fabric = found
    if pool["nodes"] < 1:
        faults.at("nodes").add(f"got {pool['nodes']}; must be 1 or more")
    allocation = pool.get("gpu_allocation", fabric.default_allocation)
    return QueuedPool(pool["name"], machine, pool["nodes"], fabric, allocation)


@rule
def _check_namespaces(namespaces: list[str], faults: Faults) -> None:
    if not namespaces:
        faults.add("empty; name at least one namespace, e.g. default")
    check_taken(namespaces, OUR_NAMESPACES, faults)
    for i, namespace in enumerate(namespaces):
        check_namespace(namespace, readable(namespaces[:i]), faults.at(i))


@rule
def plan_queues(args: QueuesArgs, pools: Sequence[QueuedPool], faults: Faults) -> QueuesPlan | None:
    """What some pools' queues take, which are known already. ``None`` when a fault was added."""
    topology = args.get("topology", {})
    for pool, labels in topology.items():
        if not any(holds(lambda each=each, pool=pool: each.name == pool) for each in pools):
            known = ", ".join(readable([each.name for each in pools]))
            faults.at("topology", pool).add(f"no pool has this name; the pools are {known}")
        _check_levels(labels, faults.at("topology", pool))
    priorities = args.get("priorities", _DEFAULT_PRIORITIES)
    _check_priorities(priorities, faults.at("priorities"))
    if (minutes := args.get("ready_minutes", _READY_MINUTES)) < 1:
        faults.at("ready_minutes").add(f"got {minutes}; must be 1 or more")
    if faults or not pools:
        return None
    pools = [replace(pool, levels=tuple(topology.get(pool.name, pool.levels))) for pool in pools]
    namespaces = args.get("namespaces", DEFAULT_NAMESPACES)
    levels = {pool.name: (*pool.levels, HOSTNAME) if _countable(pool) else () for pool in pools}
    flavors = {pool.name: _flavor(pool, levels[pool.name], args) for pool in pools}
    topologies = {name: of for name, of in ((topology_name(each), each) for each in levels.values()) if of}
    stages = (
        tuple(_topology(name, of) for name, of in topologies.items()),
        tuple(flavors.values()),
        tuple(
            _cluster_queue(pool, flavors[pool.name]["metadata"]["name"], namespaces, args.get("preemption", False))
            for pool in pools
        ),
        tuple(
            _object(
                "LocalQueue", queue_name(pool.name), namespace=namespace, spec={"clusterQueue": queue_name(pool.name)}
            )
            for namespace in namespaces
            for pool in pools
        ),
    )
    blind = [pool for pool in pools if not levels[pool.name]]
    registries = args.get("registries", {})
    return QueuesPlan(
        charts=(_jobset(registries), _kueue(pools, namespaces, minutes, registries)),
        new_namespaces=tuple(new_namespaces(namespaces)) if args.get("create_namespaces") else (),
        priorities=priorities,
        stages=stages,
        queues={pool.name: queue_name(pool.name) for pool in pools},
        levels=levels,
        warnings=tuple(
            f"queues: jobs of {pool.name} are counted and not placed: it is not known how many CPUs "
            f"{pool.machine.name} has, and by those alone Kueue can tell that a node whose GPUs are claimed is full"
            for pool in blind
        ),
    )


@rule
def _check_levels(labels: Sequence[str], faults: Faults) -> None:
    for i, label in enumerate(labels):
        if label == HOSTNAME:
            faults.at(i).add("the hosts are the lowest level of every topology; remove it")
        elif check_key(label, faults.at(i)) and label in readable(list(labels[:i])):
            faults.at(i).add(f"{label} is listed twice; list each level once")
    if len(labels) > _MOST_LEVELS:
        faults.add(f"got {len(labels)} levels; a topology has {_MOST_LEVELS} at the most, besides the hosts")


@rule
def _check_priorities(priorities: Mapping[str, int], faults: Faults) -> None:
    for name, value in priorities.items():
        at = faults.at(name)
        if not _CLASS_NAME.fullmatch(name):
            at.add("a priority class is 1 to 63 lower-case letters, digits, hyphens and dots")
        elif name.startswith("system-"):
            at.add("Kubernetes keeps names that begin with system- for itself; take another")
        if value is not UNREAD and not -_MOST <= value <= _MOST:
            at.add(f"got {value}; must be between -1000000000 and 1000000000")


def queue_name(pool: str) -> str:
    """The queue of a pool, as Kubernetes takes it for a name."""
    return pool.lower().replace("_", "-")


def topology_name(levels: Sequence[str]) -> str:
    """Kueue takes no other levels for a topology that is there, so other levels make another topology."""
    return "hosts" if tuple(levels) == (HOSTNAME,) else f"network-{_digest(list(levels))}"


def whole_node_cpu(machine: Machine, allocation: GpuAllocation) -> str:
    """CPUs that a pod with a whole node asks for, so that Kueue counts one such pod a node; empty where GPUs do that.

    Kueue places pods by what they ask of their nodes, and sees no claim there (kueue#10548): two pods that each ask for
    more than half of the CPUs do not fit on one.
    """
    vcpus = vcpus_of(machine)
    return str(vcpus // 2 + 1) if vcpus is not None and allocation == GpuAllocation.DRA else ""


def _countable(pool: QueuedPool) -> bool:
    """Whether Kueue can tell how many pods of whole nodes a node holds."""
    return pool.allocation == GpuAllocation.DEVICE_PLUGIN or bool(whole_node_cpu(pool.machine, pool.allocation))


def _object(kind: str, name: str, namespace: str = "", **rest: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, **rest}


def _topology(name: str, levels: Sequence[str]) -> dict[str, Any]:
    return _object("Topology", name, spec={"levels": [{"nodeLabel": label} for label in levels]})


def _flavor(pool: QueuedPool, levels: Sequence[str], args: QueuesArgs) -> dict[str, Any]:
    """The pool's nodes. A flavor with a topology cannot change, so its name tells its content."""
    taints = {**_taint(args), **args.get("other_taints", {})}
    spec: dict[str, Any] = {"nodeLabels": {args["pool_label"]: pool.name}}
    if taint := _taint(args):
        spec["nodeTaints"] = [{"key": key, "value": value, "effect": "NoSchedule"} for key, value in taint.items()]
    if taints:
        # Here and not only on pods: Kueue looks for room before webhooks have seen the pods.
        spec["tolerations"] = tolerations(taints)
    if levels:
        spec["topologyName"] = topology_name(levels)
    return _object("ResourceFlavor", f"{queue_name(pool.name)}-{_digest(spec)}", spec=spec)


def _taint(args: QueuesArgs) -> dict[str, str]:
    return {args["taint"]["key"]: args["taint"]["value"]} if "taint" in args else {}


def quotas_of(pool: QueuedPool) -> dict[str, int]:
    """What the whole pool has of everything that is counted."""
    machine, exposure = pool.machine, pool.fabric.exposure
    each = {"pods": _PODS_A_NODE, GPU: machine.gpus}
    match exposure:
        case Claims():
            each[NIC] = machine.nics
        case ExtendedResource():
            whole = Workload(pool.fabric, machine=machine, allocation=pool.allocation).fragment()["resources"]["limits"]
            each[exposure.resource] = int(whole[exposure.resource])
    if machine.nvlink_domain > machine.gpus:
        each[CHANNEL] = machine.gpus
    return {name: count * pool.nodes for name, count in each.items()}


def _cluster_queue(pool: QueuedPool, flavor: str, namespaces: Sequence[str], preemption: bool) -> dict[str, Any]:
    quotas = quotas_of(pool)
    resources = [{"name": name, "nominalQuota": str(count)} for name, count in quotas.items()]
    spec = {
        "namespaceSelector": _of(namespaces),
        "queueingStrategy": "BestEffortFIFO",
        "preemption": {"withinClusterQueue": "LowerPriority" if preemption else "Never"},
        "resourceGroups": [
            {"coveredResources": list(quotas), "flavors": [{"name": flavor, "resources": resources}]},
        ],
    }
    return _object("ClusterQueue", queue_name(pool.name), spec=spec)


def _of(namespaces: Sequence[str]) -> dict[str, Any]:
    """Selects some namespaces by name."""
    named = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(namespaces)}
    return {"matchExpressions": [named]}


def _kueue(
    pools: Sequence[QueuedPool], namespaces: Sequence[str], minutes: int, registries: Mapping[str, str]
) -> Settings:
    config = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        # Ports and names are those that the chart's other objects have.
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443"},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "clientConnection": {"qps": 300, "burst": 500},
        "waitForPodsReady": {"timeout": f"{minutes}m", "blockAdmission": False},
        # Its webhooks stand in the way of jobs and pods when it is down: in these namespaces alone.
        "managedJobsNamespaceSelector": _of(namespaces),
        "integrations": {"frameworks": list(_FRAMEWORKS)},
        "resources": {
            # Of these every node has enough for the pods that its devices feed, and what is not counted is refused.
            "excludeResourcePrefixes": ["cpu", "memory", "ephemeral-storage", "hugepages-"],
            "deviceClassMappings": device_class_mappings(pools),
        },
    }
    manager = {"image": _image(images.KUEUE.image, registries)}
    values = {
        "controllerManager": {"manager": manager},
        # JSON, which is YAML, too.
        "managerConfig": {"controllerManagerConfigYaml": json.dumps(config, indent=1)},
    }
    return Settings(_mirrored(charts.KUEUE, registries), "kueue-system", values, _CHART_SECONDS)


def device_class_mappings(pools: Sequence[QueuedPool]) -> list[dict[str, Any]]:
    """What a claim of each class counts as. Kueue admits no claim of a class that is not here."""
    nics = sorted({pool.fabric.exposure.device_class for pool in pools if isinstance(pool.fabric.exposure, Claims)})
    mapped = {GPU: [_GPU_CLASS], NIC: nics}
    if any(pool.machine.nvlink_domain > pool.machine.gpus for pool in pools):
        mapped[CHANNEL] = [_CHANNEL_CLASS]
    return [{"name": name, "deviceClassNames": classes} for name, classes in mapped.items() if classes]


def _jobset(registries: Mapping[str, str]) -> Settings:
    values = {"image": _image(images.JOBSET.image, registries)}
    return Settings(_mirrored(charts.JOBSET, registries), "jobset-system", values, _CHART_SECONDS)


_CHART_SECONDS = 600
"""One pod each, on the system nodes."""


def _image(reference: str, registries: Mapping[str, str]) -> dict[str, str]:
    repository, _, tag = mirrored(reference, registries).rpartition(":")
    # Read at their tags, the charts name an image that floats, to be pulled always.
    return {"repository": repository, "tag": tag, "pullPolicy": "IfNotPresent"}


def _mirrored(chart: Chart, registries: Mapping[str, str]) -> Chart:
    return replace(chart, chart=mirrored(chart.chart, registries))


def _digest(value: object) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:6]
