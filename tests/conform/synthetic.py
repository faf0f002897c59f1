"""A living cluster as the catalogue describes it: what its API server answers, and what a pod on a node sees."""

import json
from typing import Any

from rdma_cluster.catalog import Machine
from rdma_cluster.claims.slices import resource_slices, root_name
from rdma_cluster.cli.stack_file import cloud_of, read_stack
from rdma_cluster.common.stack import plan_of
from rdma_cluster.conform.expected import Expected, ExpectedPool, expected
from rdma_cluster.conform.reader import Answers
from rdma_cluster.fabrics import ExtendedResource, GpuAllocation

DRIVER = "580.126.20"


def plan(stack: str) -> Any:
    """The plan of one of our stacks."""
    _, settings = read_stack(stack, None, [])
    return plan_of(cloud_of(settings), settings.config, settings.stack)


def promised(stack: str) -> Expected:
    """What the stack promises of its cluster."""
    return expected(plan(stack))


def answers(of: Expected) -> Any:
    """The answers of a cluster that keeps every promise; the caller may change lists and objects in them."""
    names = [(pool, f"{pool.name}-{i}") for pool in of.pools for i in range(pool.nodes)]
    pools: dict[str, str] = {pool.name: name for pool, name in reversed(names)}
    return Answers(
        nodes=[_node(of, pool, name) for pool, name in names],
        slices=[each for pool, name in names for each in _slices(pool, name)],
        daemons=[_daemon(each, sum(of.pools[i].nodes for i in each.pools)) for each in of.daemons],
        templates=[[{"metadata": {"name": name}} for name in of.templates]],
        classes=[{"metadata": {"name": name}} for name in of.classes],
        version=f"v{of.kubernetes if of.kubernetes.count('.') == 2 else of.kubernetes + '.2'}",
        # One node a pool, as the command looks.
        looks={pools[pool.name]: json.dumps(look(pool.machine)) for pool in of.pools},
    )


def one_node(of: Machine, name: str = "") -> Answers:
    """A cluster of one node, which has the machine's name or another."""
    labels = {"pool": "a", "node.kubernetes.io/instance-type": name or of.name}
    status = {"nodeInfo": {"architecture": of.architecture}, "capacity": {"cpu": str(of.vcpus)}}
    node = {"metadata": {"name": "n", "labels": labels}, "status": status}
    return Answers(nodes=[node], looks={"n": json.dumps(look(of))})


def look(machine: Machine) -> dict[str, Any]:
    """What a pod sees on a node's PCI bus."""
    return {
        "gpus": [_gpu(machine, i) for i in range(machine.gpus)],
        "nics": [{"pci": "0000:00:05.0", "interface": "eth0", "mtu_bytes": 1500}]
        + [_nic(machine, i) for i in range(machine.nics)],
        "driver": DRIVER,
        "parameters": {"numa_balancing": "0"},
    }


def _place(machine: Machine, root: int | None) -> dict[str, Any]:
    if root is None or not machine.roots:
        return {}
    shared = machine.pcie_root_comparable
    name = root_name(root, machine.roots[root]) if shared else machine.roots[root].name
    numa = machine.roots[root].numa
    return ({"root": name} if name else {}) | ({} if numa is None else {"numa": numa})


def _gpu(machine: Machine, i: int) -> dict[str, Any]:
    assert machine.gpu
    pci = machine.gpu_pci[i] if machine.gpu_pci else f"00ff:{i:02x}:00.0"
    return {"pci": pci, "model": machine.gpu.model} | _place(machine, machine.root_of_gpu(i))


def _nic(machine: Machine, i: int) -> dict[str, Any]:
    nic: dict[str, Any] = {"pci": machine.nic_pci[i] if machine.nic_pci else f"00fe:{i:02x}:00.0", "active": True}
    nic |= {"interface": machine.nic_names[i]} if machine.nic_names else {}
    if machine.nic_kind.value != "netdev":
        nic["rdma"] = machine.rdma_names[i] if machine.rdma_names else f"mlx5_{i}"
        nic["firmware"] = "28.42.1000"
    nic |= {"mtu_bytes": machine.mtu_bytes} if machine.mtu_bytes else {}
    nic |= {"gbps": machine.nic_gbps} if machine.nic_gbps else {}
    return nic | _place(machine, machine.root_of_nic(i))


def _slices(pool: ExpectedPool, name: str) -> list[dict[str, Any]]:
    if pool.target is None:
        return []
    found = [each.manifest() for each in resource_slices(pool.machine, pool.target, name)]
    for device in (device for each in found for device in each["spec"]["devices"]):
        if device["name"].startswith("rail-") and "dra.net/mtu" in device["attributes"] | {}:
            device["attributes"]["dra.net/mtu"] = {"int": pool.machine.mtu_bytes or 1500}
        if device["name"].startswith("rail-") and "mtu" in device["attributes"]:
            device["attributes"]["mtu"] = {"int": pool.machine.mtu_bytes or 1500}
        if "driverVersion" in device["attributes"]:
            device["attributes"]["driverVersion"] = {"version": DRIVER}
    return found


def _node(of: Expected, pool: ExpectedPool, name: str) -> dict[str, Any]:
    first, *others = of.taints.items()
    arch = [{"key": key, "value": value, "effect": "NoSchedule"} for key, value in others if key.endswith("/arch")]
    amounts = {"cpu": "17", "memory": "1981234567Ki", "pods": "110"}
    if pool.allocation is GpuAllocation.DEVICE_PLUGIN:
        amounts["nvidia.com/gpu"] = str(pool.machine.gpus)
    nics = pool.fabric.nic_attachment
    if isinstance(nics, ExtendedResource):
        amounts |= {nics.resource: str(1 if nics.full_node else pool.machine.nics), **nics.beside}
    labels = {of.pool_label: pool.name, "node.kubernetes.io/instance-type": pool.machine.name, **pool.labels}
    return {
        "metadata": {"name": name, "labels": labels},
        "spec": {"taints": [{"key": first[0], "value": first[1], "effect": "NoSchedule"}, *arch]},
        "status": {
            "conditions": [{"type": "Ready", "status": "True"}],
            "capacity": {"cpu": str(pool.machine.vcpus or 96)},
            "allocatable": amounts,
            "nodeInfo": {
                "architecture": pool.machine.architecture,
                "kubeletVersion": "v1.35.2-gke.1234000",
                "kernelVersion": "6.12.46+",
                "osImage": "Ubuntu 24.04.3 LTS",
                "containerRuntimeVersion": "containerd://2.1.4",
            },
        },
    }


def _daemon(daemon: Any, nodes: int) -> dict[str, Any]:
    chart = {"helm.sh/chart": f"{daemon.name}-{daemon.version}"} if daemon.version else {}
    return {
        "metadata": {"name": daemon.name, "namespace": "kube-system", "labels": chart},
        "spec": {"template": {"spec": {"containers": [{"image": f"example/{daemon.name}"}]}}},
        "status": {"desiredNumberScheduled": nodes, "numberReady": nodes},
    }
