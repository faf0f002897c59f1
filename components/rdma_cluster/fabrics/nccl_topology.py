"""NCCL's topology file for a machine whose hypervisor hides the PCIe switches, written from the catalogue.

Azure's puts each GPU and each NIC into a PCI domain of its own. Without this file NCCL sees no switch that a GPU shares
with a NIC, and does without GPUDirect.
"""

from ..catalog.machine import Bridge, Machine, TopologyFile

_BRIDGE, _GPU, _INFINIBAND = "0x060400", "0x030200", "0x020700"  # PCI classes
_WIDTH = "16"
_WORD = 32  # bits of a group of digits in the kernel's CPU masks


def topology_xml(machine: Machine) -> str:
    """The file of a machine that has one."""
    topology = machine.nccl_topology
    assert topology is not None and machine.gpu_pci is not None and machine.nic_pci is not None
    lines = ['<system version="1">']
    bus = 0
    nodes = sorted({bridge.numa for bridge in topology.bridges})
    for node in nodes:
        lines.append(
            f'  <cpu numaid="{node}" affinity="{_mask(topology, node, len(nodes))}" arch="x86_64" '
            f'vendor="{topology.cpu_vendor}" familyid="{topology.cpu_family}" modelid="{topology.cpu_model}">'
        )
        for bridge in (each for each in topology.bridges if each.numa == node):
            bus += 1
            lines += _bridge(topology, bridge, f"ffff:ff:{bus:02x}.0", machine.gpu_pci, machine.nic_pci)
        lines.append("  </cpu>")
    return "\n".join([*lines, "</system>", ""])


def _bridge(
    topology: TopologyFile, bridge: Bridge, bus_id: str, gpus: tuple[str, ...], nics: tuple[str, ...]
) -> list[str]:
    """A switch that is not there, over the GPUs and NICs that are near each other."""
    speed = f'link_speed="{topology.link_speed}" link_width="{_WIDTH}"'
    devices = [(gpus[i], _GPU) for i in bridge.gpus] + [(nics[i], _INFINIBAND) for i in bridge.nics]
    return [
        f'    <pci busid="{bus_id}" class="{_BRIDGE}" {speed}>',
        *(f'      <pci busid="{address}" class="{kind}" {speed}/>' for address, kind in devices),
        "    </pci>",
    ]


def _mask(topology: TopologyFile, node: int, nodes: int) -> str:
    """The node's cores as the kernel writes them: 32 bits a group, the highest first."""
    cores = topology.cores_per_numa
    mask = ((1 << cores) - 1) << (node * cores)
    groups = -(-cores * nodes // _WORD)
    return ",".join(f"{mask >> (_WORD * i) & 0xFFFFFFFF:08x}" for i in reversed(range(groups)))
