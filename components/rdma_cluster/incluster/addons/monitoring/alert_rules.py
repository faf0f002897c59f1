"""Recording rules of the rails and alerts, in Prometheus' own form.

Every metric of an exporter that stands here is in ``catalog.metrics``, with its source.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pulumi_offline.frozen import frozen
from ....catalog.faults import WATCHED, Taints
from ....catalog.machine import Machine
from ....claims.layout import has_nvidia_gpus
from ....fabrics import DriverCounters, Fabric, InterfaceCounters
from ...plan.pool import GpuPool
from .proof_alerts import alert, proof_alerts

GPUS, NICS = "rdma-cluster-gpus", "rdma-cluster-nics"
"""What the jobs are called under which Prometheus reads the exporters."""
RATE = "2m"
"""Over how long bytes are counted: four readings."""
TRANSMITTED, RECEIVED = "rdma_cluster:rail_transmitted_bytes:rate2m", "rdma_cluster:rail_received_bytes:rate2m"
ACTIVE = "rdma_cluster:rail_active"
"""What is recorded, by ``pool``, ``node`` and ``rail``; the last is 1 while the rail's link is up."""

_OF_APPLICATIONS = (13, 31, 43, 45, 68, 109)
"""XIDs after which the GPU is sound: NVIDIA's DRA driver and device plugin pass over the same
(kubernetes-sigs/dra-driver-nvidia-gpu@9593204 cmd/gpu-kubelet-plugin/device_health.go, 2026-08-07)."""
_UP = 4
"""A port's state ACTIVE (Linux Documentation/ABI/stable/sysfs-class-infiniband)."""
_PORT = ("node_infiniband_port_data_transmitted_bytes_total", "node_infiniband_port_data_received_bytes_total")
_POD = ("container_network_transmit_bytes_total", "container_network_receive_bytes_total")
_OF_NODE = tuple(fault.condition for fault in WATCHED if fault.taints is not Taints.NOTHING)
_OF_PEERS = tuple(fault.condition for fault in WATCHED if fault.taints is Taints.NOTHING)
"""Conditions by whether a node is taken out of service for them."""
_WATCHER = "rdma-fault-watcher"
DRIVER = "rdma_driver_counter_total"
"""What our own reader of ``hw_counters`` publishes, with the file's name as ``counter``."""


@frozen
class Alike:
    """Pools of one machine type whose NICs are counted in one way: they share their rules."""

    machine: Machine
    fabric: Fabric
    names: tuple[str, ...]

    @property
    def on_host(self) -> bool:
        """Whether the host sees the NICs, also those that pods hold."""
        return not isinstance(self.fabric.counters, InterfaceCounters)

    @property
    def countable(self) -> bool:
        """Whether rails differ from other NICs in the metrics, so that a missing one shows."""
        return self.on_host and bool(self.machine.rdma_names or not self.machine.rdma_front_end)

    @property
    def pools(self) -> str:
        """Matcher of the pools."""
        return _one_of("pool", self.names)

    @property
    def rails(self) -> str:
        """Matcher of the pools' rails: all RDMA devices, where only rails are that or their names are not published."""
        names = self.machine.rdma_names
        return f"{self.pools},{_one_of('device', names)}" if names else self.pools


def _alike(pools: Sequence[GpuPool]) -> list[Alike]:
    """Pools in groups, each machine type in the order in which it comes first."""
    groups: dict[tuple[str, object], list[GpuPool]] = {}
    for pool in pools:
        groups.setdefault((pool.machine.name, pool.fabric.counters), []).append(pool)
    return [Alike(some[0].machine, some[0].fabric, tuple(pool.name for pool in some)) for some in groups.values()]


def _one_of(label: str, values: Iterable[str]) -> str:
    """A matcher for any of these values: ``pool="a4"`` or ``pool=~"a4|b"``."""
    unique = list(dict.fromkeys(values))
    if len(unique) == 1:
        return f"{label}={json.dumps(unique[0])}"
    return f"{label}=~{json.dumps('|'.join(value.replace('.', '[.]') for value in unique))}"


def rule_groups(
    pools: Sequence[GpuPool], gpu_errors: bool, claims: bool, renew_seconds: int | None
) -> list[dict[str, Any]]:
    """Groups of rules; ``gpu_errors``: faults of GPUs are published; ``claims``: pods wait for claims;
    ``renew_seconds``: at which age the prover renews a proof, ``None`` where there is no prover."""
    groups = _alike(pools)
    records = [_on(group, record) for group in groups for record in _records(group)]
    of_nics = [_on(group, rule) for group in groups if group.on_host for rule in _nic_alerts(group)]
    alerts = [*_gpu_alerts(pools, groups, gpu_errors), *of_nics, *_silence(pools), *_fault_alerts()]
    if claims:
        alerts.append(_pending())
    if renew_seconds is not None:
        alerts += proof_alerts(renew_seconds)
    return [
        *([{"name": "rdma-cluster-rails", "rules": records}] if records else []),
        {"name": "rdma-cluster-alerts", "rules": alerts},
    ]


def _on(group: Alike, rule: dict[str, Any]) -> dict[str, Any]:
    """A rule of one machine type: no two rules of one name may have the same labels."""
    return {**rule, "labels": {**rule.get("labels", {}), "machine": group.machine.name}}


def _records(group: Alike) -> Iterator[dict[str, Any]]:
    """Bytes and link of each rail, by its number where its name is published, else by its name."""
    counters, names = group.fabric.counters, group.machine.rdma_names
    if isinstance(counters, InterfaceCounters):
        # The nodes are known by the exporter that runs on all of them; the pod's interfaces carry no pool.
        on = f'on (node) group_left (pool) (0 * max by (pool, node) (up{{job="{GPUS}",{group.pools}}}) + 1)'
        for rail, interface in enumerate(group.machine.nic_names or ()):
            for record, metric in zip((TRANSMITTED, RECEIVED), _POD, strict=True):
                bytes_ = f'sum by (node) (rate({metric}{{interface="{interface}"}}[{RATE}]))'
                yield {"record": record, "expr": f"{bytes_} * {on}", "labels": {"rail": str(rail)}}
        return
    for rail, device in enumerate(names) if names else [(None, None)]:
        picked = group.pools if device is None else f'{group.pools},device="{device}"'
        if isinstance(counters, DriverCounters):
            of = [f'{DRIVER}{{{picked},counter="{each}"}}' for each in (counters.transmitted, counters.received)]
        else:
            of = [f"{metric}{{{picked}}}" for metric in _PORT]
        sums = {
            TRANSMITTED: f"rate({of[0]}[{RATE}])",
            RECEIVED: f"rate({of[1]}[{RATE}])",
            ACTIVE: f"(node_infiniband_state_id{{{picked}}} == bool {_UP})",
        }
        for record, value in sums.items():
            if rail is None:
                named = f'label_replace({value}, "rail", "$1", "device", "(.+)")'
                yield {"record": record, "expr": f"sum by (pool, node, rail) ({named})"}
            else:
                yield {"record": record, "expr": f"sum by (pool, node) ({value})", "labels": {"rail": str(rail)}}


def _gpu_alerts(pools: Sequence[GpuPool], groups: Sequence[Alike], gpu_errors: bool) -> Iterator[dict[str, Any]]:
    with_gpus = [pool for pool in pools if has_nvidia_gpus(pool.machine)]
    if not with_gpus:
        return
    picked = _one_of("pool", (pool.name for pool in with_gpus))
    if gpu_errors:
        passed = "".join(f" != {xid}" for xid in _OF_APPLICATIONS)
        yield alert(
            "GpuXid",
            f"DCGM_FI_DEV_XID_ERRORS{{{picked}}} > 0{passed}",
            "GPU {{ $labels.gpu }} of {{ $labels.node }} reported XID {{ $value }}",
            "Not an application's own error. Drain the node; after a reset or a reboot the value is 0 again. "
            "https://docs.nvidia.com/deploy/xid-errors/",
        )
        yield alert(
            "GpuRowRemapFailed",
            f"DCGM_FI_DEV_ROW_REMAP_FAILURE{{{picked}}} > 0",
            "GPU {{ $labels.gpu }} of {{ $labels.node }} has bad memory that it cannot replace",
            "The GPU has no spare rows left: have it exchanged.",
        )
    for group in groups:
        if has_nvidia_gpus(group.machine):
            seen = f"count by (pool, node) (count by (pool, node, gpu) (DCGM_FI_DEV_GPU_TEMP{{{group.pools}}}))"
            yield _on(group, _missing("GpusMissing", seen, GPUS, group, group.machine.gpus, "GPUs"))


def _nic_alerts(group: Alike) -> Iterator[dict[str, Any]]:
    state = f"node_infiniband_state_id{{{group.rails}}}"
    if group.countable:
        yield _missing("NicsMissing", f"count by (pool, node) ({state})", NICS, group, group.machine.nics, "rails")
    yield alert(
        "NicLinkDown",
        f"{state} != {_UP}",
        "{{ $labels.device }} of {{ $labels.node }} has no link",
        "A job that gets this rail fails or falls back to TCP. Look at the port's cable and switch, then replace "
        "the node.",
        after="2m",
    )
    flaps = f"changes({state}[30m]) >= 4 or increase(node_infiniband_link_downed_total{{{group.rails}}}[30m]) >= 2"
    yield alert(
        "NicLinkFlapping",
        flaps,
        "{{ $labels.device }} of {{ $labels.node }} lost its link again and again",
        "Collectives stall while a link comes back. Look at the port's cable and transceiver.",
        severity="warning",
    )


def _missing(name: str, seen: str, job: str, group: Alike, count: int, what: str) -> dict[str, Any]:
    """A node that shows fewer than its machine has.

    One counts as having none where any of its exporters speaks, for a GPU exporter does not even start without its
    claim; not where this very exporter is there and silent.
    """
    speaks = f'max by (pool, node) (up{{job=~"{GPUS}|{NICS}",{group.pools}}} == 1)'
    none = f'0 * {speaks} unless max by (pool, node) (up{{job="{job}",{group.pools}}}) == 0'
    return alert(
        name,
        f"({seen} or {none}) < {count}",
        f"{{{{ $labels.node }}}} shows {{{{ $value }}}} {what}, a {group.machine.name} has {count}",
        "Claims for a whole node do not fit on it any more, and pods wait. Replace the node.",
        after="10m",
    )


def _silence(pools: Sequence[GpuPool]) -> Iterator[dict[str, Any]]:
    picked = _one_of("pool", (pool.name for pool in pools))
    yield alert(
        "FabricUnwatched",
        f'up{{job=~"{GPUS}|{NICS}",{picked}}} == 0',
        "{{ $labels.job }} of {{ $labels.node }} cannot be read",
        "Nothing is known of this node's GPUs or NICs: look at its exporter's pod.",
        severity="warning",
        after="15m",
    )


def _fault_alerts() -> Iterator[dict[str, Any]]:
    """By conditions of nodes, where kube-state-metrics publishes them and ``readiness`` has somebody who sets them."""
    condition = 'max by (node, condition) (kube_node_status_condition{{condition=~{types},status="true"}}) == 1'
    for name, types, severity, remedy in (
        ("NodeFault", _OF_NODE, "critical", "docs/faults.md says what it means, what is tainted and who repairs."),
        ("NodeDegraded", _OF_PEERS, "warning", "Another node or the network may be the cause: see docs/faults.md."),
    ):
        yield alert(
            name,
            condition.format(types=json.dumps("|".join(types))),
            "{{ $labels.node }} has {{ $labels.condition }}",
            f"`kubectl describe node {{{{ $labels.node }}}}` names the devices. {remedy}",
            severity=severity,
        )
    deaf = 'max by (node) (kube_node_status_condition{condition="FaultsWatched",status="true"}) == 0'
    gone = f'max by (daemonset) (kube_daemonset_status_number_unavailable{{daemonset="{_WATCHER}"}}) > 0'
    yield alert(
        "FaultsUnwatched",
        f"{deaf} or {gone}",
        "not all faults of {{ $labels.node }}{{ $labels.daemonset }} are seen",
        f"A pod of {_WATCHER} is not ready, or cannot read its node's kernel log: look at it.",
        severity="warning",
        after="15m",
    )


def _pending() -> dict[str, Any]:
    claims = "max by (namespace, pod) (kube_pod_resourceclaim_info)"
    return alert(
        "PodPendingOnClaim",
        f"max by (namespace, pod) (kube_pod_status_unschedulable) == 1 and on (namespace, pod) {claims}",
        "{{ $labels.namespace }}/{{ $labels.pod }} waits for GPUs or NICs that it claims",
        "No node has what its claims ask for free: `kubectl describe pod` says why, `rdma-cluster claims` what fits.",
        severity="warning",
        after="10m",
    )
