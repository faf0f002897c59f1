"""A plan in words and numbers: sections of flat rows, for people as tables and for programs as JSON."""

from collections.abc import Callable, Mapping, Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any, TypeVar

from nccl_verdict.expectation import NVLINK
from pulumi_offline.frozen import frozen
from ..base.args import Link
from ..catalog.machine import Capacity, Machine, PcieRoot
from .price import price_rows

if TYPE_CHECKING:  # the catalogue's own command needs no plan
    from ..incluster.addons.inference.plan import InferencePlan
    from ..incluster.addons.queues.plan import QueuesPlan
    from ..incluster.addons.storage.store import StoragePlace
    from ..incluster.plan.acceptance import AcceptancePlan
    from ..incluster.plan.claim_templates import Offer
    from ..incluster.plan.in_cluster import InClusterPlan
    from .pools import PoolPlan
    from .use import PoolUse

Row = dict[str, Any]
P = TypeVar("P", bound="PoolPlan")


@frozen
class Section:
    """Rows of one kind, all with the same keys, in snake_case."""

    name: str
    rows: Sequence[Row]
    of: str = ""
    """The machine that they describe, where there is a section for each."""

    @property
    def title(self) -> str:
        """What stands above the rows."""
        return f"{self.name} of one {self.of}" if self.of else self.name


@frozen
class Summary:
    """A plan's sections and warnings, and what is drawn of it beside them."""

    sections: tuple[Section, ...]
    warnings: tuple[str, ...]
    uses: "tuple[PoolUse, ...]" = ()
    """The pools as their users see them; no part of the JSON form."""

    def rows_of(self, name: str) -> Sequence[Row]:
        """The rows of a section, or of the first of its name; none where there is none."""
        return next((section.rows for section in self.sections if section.name == name), ())

    def to_dict(self) -> dict[str, Any]:
        """The summary's JSON form: rows by section, or by section and machine, and the warnings. An interface."""
        rows: dict[str, Any] = {}
        for section in self.sections:
            if section.of:
                rows.setdefault(section.name, {})[section.of] = list(section.rows)
            else:
                rows[section.name] = list(section.rows)
        return {**rows, "warnings": list(self.warnings)}


@singledispatch
def summarise_plan(plan: Any) -> Summary:
    """The plan of a whole stack in words and numbers: each cloud registers the function for its own plan."""
    raise TypeError(f"got {type(plan).__name__}, which is no plan of a stack")


# More than six parameters: first what every plan has, then by name what each cloud adds, in the sections' order.
def summary_of(  # noqa: PLR0913
    pools: Sequence[P],
    in_cluster: "InClusterPlan",
    warnings: Sequence[str],
    *,
    cluster: Row,
    region: str,
    pool_columns: Callable[[P], Row],
    rails: Callable[[P], list[Row]],
    addresses: list[Row],
    versions: list[Row],
) -> Summary:
    """The sections of a stack's plan, in the order a reader wants them; each cloud passes its own rows."""
    from .use import use_of  # with the fabrics, which the catalogue's own command does without

    pool_rows = [
        {
            **pool_row(pool.name, pool.machine, pool.nodes, pool.capacity, pool.reservation),
            **pool_columns(pool),
            "allocation": pool.gpu_allocation.value,
        }
        for pool in pools
    ]
    offered, addons = in_cluster.claims.plan.by_machine if in_cluster.claims else {}, in_cluster.addons
    sections = [
        Section("cluster", [cluster]),
        Section("pools", pool_rows),
        Section("price", price_rows(pools, region)),
        *(Section("rails", rails(pool), name) for name, pool in {pool.machine.name: pool for pool in pools}.items()),
        Section("addresses", addresses),
        *(Section("claims", claim_rows(offers), name) for name, offers in offered.items()),
        *(queue_sections(addons.queues.plan) if addons.queues else []),
        Section("acceptance", acceptance_rows(in_cluster.acceptance.plan)),
        *([Section("storage", storage_rows(in_cluster.storage))] if in_cluster.storage else []),
        *([Section("inference", inference_rows(addons.inference.plan))] if addons.inference else []),
        Section("versions", [*versions, *version_rows(in_cluster)]),
    ]
    uses = []
    for pool in pools:
        workload, offers = in_cluster.workloads[pool.name], offered.get(pool.machine.name, ())
        uses.append(use_of(pool.name, pool.machine, pool.nodes, pool.racks, workload=workload, offers=offers))
    return Summary(tuple(sections), tuple(warnings), tuple(uses))


def pool_row(name: str, machine: Machine, nodes: int, capacity: Capacity, reservation: Link | None) -> Row:
    """The first columns of a pool, on every cloud and without Kubernetes."""
    return {
        "name": name,
        "machine": machine.name,
        "nodes": nodes,
        "capacity": f"{capacity.value} {reservation or ''}".strip(),
        "gpus": f"{machine.gpus} x {machine.gpu.model}" if machine.gpu else "none",
        "rails": f"{machine.nics} x {machine.nic_gbps or 'unpublished'} Gb/s",
    }


def version_rows(in_cluster: "InClusterPlan") -> list[Row]:
    """What is installed in the cluster, and at which version."""
    drivers = in_cluster.drivers.plan if in_cluster.drivers else None
    plugins = in_cluster.device_plugins.plan if in_cluster.device_plugins else None
    charts = [drivers.gpu, drivers.nic] if drivers else []
    charts += [plugins.gpu, plugins.nic] if plugins else []
    charts += in_cluster.addons.queues.plan.charts if in_cluster.addons.queues else ()
    rows = [(each.chart.title, f"{each.chart.version}, {each.chart.chart}") for each in charts if each]
    if drivers and drivers.kernel:
        rows.append(("NVIDIA kernel driver", "the node image's default, installed by our DaemonSet"))
    plugins_of_nccl = {each.fabric.plugin.name: each.fabric.plugin for each in in_cluster.workloads.values()}
    rows += [(f"NCCL plugin {name}", plugin.version) for name, plugin in plugins_of_nccl.items() if name]
    return [{"part": part, "version": version} for part, version in rows]


def machine_rows(machine: Machine) -> list[Row]:
    """One row a rail: which GPU it serves, over which PCIe root, as which NIC."""
    rows, pci = [], machine.gpu_pci
    for rail in range(machine.nics):
        index, root = next(((i, of) for i, of in enumerate(machine.roots or ()) if rail in of.nics), ("-", None))
        gpus = _served(root, rail) if root else ()
        rows.append(
            {
                "rail": rail,
                "gpu": gpus[0] if len(gpus) == 1 else ", ".join(map(str, gpus)) or "-",
                "gpu_pci": ", ".join(pci[gpu] for gpu in gpus) if pci and gpus else "-",
                "root": index,
                "numa": root.numa if root else "-",
                "nic": machine.nic_names[rail] if machine.nic_names else "-",
            }
        )
    return rows


def _served(root: PcieRoot, rail: int) -> tuple[int, ...]:
    """The GPUs a rail serves: rails and GPUs of one root go together in order, which is how claims are allocated."""
    first = root.nics.index(rail) * len(root.gpus) // len(root.nics)
    return root.gpus[first : first + max(1, len(root.gpus) // len(root.nics))]


def claim_rows(offers: "Sequence[Offer]") -> list[Row]:
    """One row a shape: its first template, the other windows, and how many pods of it one node holds."""
    rows = []
    for offer in offers:
        first, *others = offer.windows
        rows.append(
            {
                "shape": str(offer.intent),
                "template": " + ".join(template.name for template in first),
                "further_windows": ", ".join(template.window for template, *_ in others) or "-",
                "pods_a_node": offer.pods_per_node,
            }
        )
    return rows


def queue_sections(plan: "QueuesPlan") -> list[Section]:
    """The queues of this cluster, and what they have to do with others."""
    sections = [Section("queues", queue_rows(plan))]
    if plan.worker is not None:
        taken = [{"queue": queue, "gpus": gpus} for queue, gpus in plan.worker.gpus.items()]
        sections.append(Section("takes jobs", taken))
    if plan.dispatch is not None:
        sent = [{"queue": queue, "clusters": ", ".join(names)} for queue, names in plan.dispatch.queues.items()]
        sections.append(Section("sends jobs", sent))
    return sections


def queue_rows(plan: "QueuesPlan") -> list[Row]:
    """One row a queue: what it counts, and the levels by which it places a job."""
    rows = []
    for pool, queue in plan.queues.items():
        (manifest,) = [each for stage in plan.stages for each in stage if _is_queue(each, queue)]
        (flavor,) = manifest["spec"]["resourceGroups"][0]["flavors"]
        rows.append(
            {
                "queue": queue,
                "pool": pool,
                "counts": ", ".join(
                    f"{each['nominalQuota']} {each['name']}" for each in flavor["resources"] if each["name"] != "pods"
                ),
                "places_by": ", ".join(plan.levels[pool]) or "not at all",
            }
        )
    return rows


def _is_queue(manifest: Mapping[str, Any], name: str) -> bool:
    return manifest["kind"] == "ClusterQueue" and manifest["metadata"]["name"] == name


def acceptance_rows(plan: "AcceptancePlan") -> list[Row]:
    """One row a pool: the test that proves it inside `up`, or why none does."""
    rows = []
    for test in plan.tests:
        want = test.expectation
        thresholds = want.thresholds.get(want.collective or "", ())
        pairs = (want.tests or 1) // (1 + len(want.also))
        run = " and ".join((want.collective or "", *want.also))
        rows.append(
            {
                "pool": test.pool,
                "test": f"{run} over {pairs} pair{'s' * (pairs > 1)} of nodes"
                f"{' by NVLink' * (want.network == NVLINK)}, 1 to {test.most_bytes >> 30} GiB",
                # No row is judged below 1 GiB.
                "threshold": ", ".join(
                    f"{line.busbw_gbytes:g} GB/s from {max(line.size_bytes >> 30, 1)} GiB" for line in thresholds
                )
                or "none known",
                "fails_after": f"{test.seconds // 60} min",
            }
        )
    for pool, reason in plan.skip_reason.items():
        rows.append({"pool": pool, "test": f"not proven: {reason}", "threshold": "-", "fails_after": "-"})
    return rows


def storage_rows(place: "StoragePlace") -> list[Row]:
    """Where data is kept, and what pods name of it."""
    store = place.store
    facts = {
        "kind": store.kind.value,
        "claim": store.claim,
        "in namespaces": ", ".join(place.namespaces) if store.claim else "",
        "size": f"{store.capacity_gb:,} GB" if store.capacity_gb else "",
        "pods are annotated with": ", ".join(f"{key}: {value}" for key, value in store.annotations.items()),
        "storage class": store.storage_class,
        "volume": store.volume,
    }
    return [{"what": what, "value": value} for what, value in facts.items() if value]


def inference_rows(plan: "InferencePlan") -> list[Row]:
    """The model that is served: how it is split, how much of the GPUs' memory it takes, and when `up` gives up."""
    facts = {
        "model": plan.model,
        "pool": plan.pool,
        "split": plan.split,
        "memory": plan.memory,
        "endpoint": plan.endpoint,
        "fails after": f"{plan.objects.check.seconds // 60} min",
    }
    return [{"what": what, "value": value} for what, value in facts.items()]
