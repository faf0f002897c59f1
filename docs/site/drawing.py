"""A machine as the page of a stack draws it, in a page of the site."""

import re
from importlib.resources import files

from rdma_cluster.catalog import Machine
from rdma_cluster.cli.page.node import listed, node
from rdma_cluster.common.summary import machine_rows
from rdma_cluster.common.use import PoolUse
from rdma_cluster.fabrics import fabric_of


def drawing(machine: Machine) -> str:
    """HTML of a node; empty without GPUs or without a fabric that this library knows."""
    fabric = fabric_of(machine)
    if fabric is None or not machine.gpus or not machine.nics:
        return ""
    use = PoolUse("", machine, 1, fabric, (), workload={}, how="")
    rows = machine_rows(machine)
    return f'<div class="drawing">{node(rows, use)}{listed(rows, use)}</div>'


def style() -> str:
    """The style of a stack's page, for drawings alone: light or dark is what the site says."""
    css = files("rdma_cluster.cli.page").joinpath("style.css").read_text(encoding="utf-8")
    css = re.sub(r"^\s*color-scheme: light dark;\n", "", css, flags=re.MULTILINE)
    return f".drawing {{\n{css.replace(':root', '&')}}}\n"
