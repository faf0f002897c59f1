"""The table of components/README.md: each of the four components on each cloud, from graphs and plans of the stacks."""

from collections.abc import Iterator
from inspect import cleandoc, getfile
from pathlib import Path
from typing import Any

from rdma_cluster.cli.stack_file import plan_of, read_stack, stacks
from rdma_cluster.common import CLOUDS
from rdma_cluster.common.stack import StackPlan
from rdma_cluster.fabrics import ImagePlugin
from rdma_cluster.hosting import components_of
from tests.stacks import cloud_of, graph_of

ROOT = Path(__file__).parents[1]
_WHOLE = "the whole"
_NETWORK, _POOL, _DRIVERS, _INSTALLER = "HPC network", "GPU node pool", "DRA drivers", "NCCL installer"
_KINDS = {
    _NETWORK: ("HpcNetwork",),
    _POOL: ("GpuNodePool", "GpuVms", "AdoptedNodes"),
    _DRIVERS: ("DraDrivers", "DevicePlugins", "Operators", "VirtualFunctions"),
    _INSTALLER: ("NcclInstaller",),
    _WHOLE: ("RdmaCluster",),
}
"""What the classes of a component are called, by their last words."""
_OURS = "rdma-cluster:index:"


def rows() -> Iterator[tuple[str, str, str, str]]:
    """Component, cloud, class with its file, and the stacks that have it; or why stacks have none."""
    plans = {stack: plan_of(read_stack(stack, None, ())[1]) for stack in stacks(ROOT)}
    classes = {stack: {each.type.removeprefix(_OURS) for each in graph_of(stack).resources} for stack in plans}
    for kind, endings in _KINDS.items():
        for cloud in CLOUDS:
            own = [stack for stack in plans if cloud_of(stack) == cloud]
            for component in _sorted(components_of(cloud, "incluster")):
                name = component.__name__
                having = [stack for stack in own if name in classes[stack]]
                if name.endswith(endings) and (having or not component.__module__.startswith("rdma_cluster.incluster")):
                    yield kind, cloud, _linked(component), _codes(having)
            without: dict[str, list[str]] = {}
            for stack in own:
                if not any(name.endswith(endings) for name in classes[stack]):
                    without.setdefault(_why_none(kind, plans[stack]), []).append(stack)
            for reason, lacking in without.items():
                yield kind, cloud, f"none: {reason}", _codes(lacking)


def _sorted(components: list[type[Any]]) -> list[type[Any]]:
    """Those of the cloud itself first."""
    return sorted(components, key=lambda each: (each.__module__.startswith("rdma_cluster.incluster"), each.__name__))


def _linked(component: type[Any]) -> str:
    path = Path(getfile(component)).relative_to(ROOT / "components")
    return f"[`{component.__name__}`]({path.as_posix()})"


def _why_none(kind: str, plan: StackPlan) -> str:
    """What the stack's plan and the record of its fabric say instead."""
    if kind == _NETWORK:
        return "the network is there already"
    if plan.in_cluster is None:
        return "a machine without Kubernetes installs it when it starts"
    pools = plan.in_cluster.pools
    if kind == _INSTALLER:
        plugins = {pool.fabric.plugin for pool in pools}
        return "; ".join(
            sorted(
                f"{each.name} is {each.version}" if isinstance(each, ImagePlugin) else _first_line(type(each))
                for each in plugins
            )
        )
    nics = {f"NICs {_first_line(type(pool.fabric.nic_attachment))}" for pool in pools}
    gpus = {f"GPUs by {pool.allocation.value.replace('-', ' ')}" for pool in pools}
    return "; ".join([*sorted(gpus), *sorted(nics)])


def _first_line(record: type[Any]) -> str:
    """What a record of a fabric says of itself."""
    text = cleandoc(record.__doc__ or "").partition("\n")[0].rstrip(".")
    text = text.removeprefix("None: ")
    return text if text.startswith("NCCL") else text[0].lower() + text[1:]


def _codes(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "no stack of ours"
