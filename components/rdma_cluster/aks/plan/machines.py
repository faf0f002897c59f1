"""The sizes that this library builds on AKS."""

from pulumi_offline.errors import ErrorList
from ...catalog import aks
from ...catalog.aks import AksMachine
from ...claims.layout import has_nvidia_gpus
from ...common.names import unknown_machine

MACHINES = {row.name: row for row in aks.MACHINES}
BUILDABLE = {name: row for name, row in MACHINES.items() if has_nvidia_gpus(row)}

_NOT_PROVABLE = (
    "no published log shows RDMA from and to the memory of its GPUs on AKS, the best run between two of them has 78.8 "
    "of 400 GB/s, and the one way to its driver that was run there is a script that installs AMD's package on the node"
)
"""What is missing for AMD's GPUs. Azure/aks-rdma-infiniband@700dabb configs/amd-driver-installer and pull request 150,
whose log has none of NCCL's lines; kubernetes-sigs/dranet@f258477 examples/azure_aks_examples/mi300x."""


def machine_for(name: str, errors: ErrorList) -> AksMachine | None:
    """The catalogue row of a size that this library builds on AKS, or an error."""
    machine, can = MACHINES.get(name), ", ".join(BUILDABLE)
    if machine is None:
        errors.add(unknown_machine(name, "aks"))
    elif machine.gpu is None:
        errors.add(f"{name} has no GPU; choose one of {can}")
    elif name not in BUILDABLE:
        errors.add(f"{name} is in the catalogue, and not built: {_NOT_PROVABLE}; choose one of {can}")
    else:
        return machine
    return None
