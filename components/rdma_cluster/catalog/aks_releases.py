"""What AKS stacks install beside the shared releases, pinned: what belongs together stands in one row."""

from dataclasses import dataclass

from .machine import Source
from .releases import Chart, NcclTests


@dataclass(frozen=True)
class AksFloors:
    """Least AKS versions of the features that a stack may use."""

    supported: str
    """The oldest minor that a new cluster of the Standard tier takes."""
    ending: str
    """The minor that AKS is about to drop."""
    gpu_dra: str
    """``resource.k8s.io/v1``, at the patch that NVIDIA's driver asks for."""
    ubuntu_is_2404: str
    """``osSKU: Ubuntu`` means Ubuntu 24.04, whose containerd 2 has NRI on; below, ``Ubuntu2404`` must be named."""
    default: str
    """The minor that a stack asks for when the user names none."""
    source: Source


FLOORS = AksFloors(
    supported="1.34",
    ending="1.34",
    gpu_dra="1.34.2",
    ubuntu_is_2404="1.35",
    default="1.35",
    source=Source(
        "github.com/MicrosoftDocs/azure-aks-docs@fb060ab supported-kubernetes-versions.md, upgrade-os-version.md; "
        "NVIDIA DRA driver docs",
        "2026-08-21",
    ),
)

_NGC = "https://helm.ngc.nvidia.com/nvidia"

GPU_OPERATOR = Chart(
    title="NVIDIA GPU Operator",
    chart="gpu-operator",
    repo=_NGC,
    # 26.7 raises the driver to 595, with which others saw fabrics break; this one brings 580.126.20 and toolkit 1.19.1.
    version="v26.3.3",
    source=Source("github.com/NVIDIA/gpu-operator tag v26.3.3", "2026-06-23"),
)


@dataclass(frozen=True)
class NetworkOperator:
    """NVIDIA's Network Operator with the images of the same release: never mix two rows."""

    chart: Chart
    repository: str
    """Registry and folder of its images."""
    driver: str
    """Version of the InfiniBand driver; the operator appends system and architecture."""
    plugins: str
    """Tag of both device plugins."""


NETWORK_OPERATOR = NetworkOperator(
    chart=Chart(
        title="NVIDIA Network Operator",
        chart="network-operator",
        repo=_NGC,
        version="26.4.1",
        source=Source("github.com/Mellanox/network-operator tag v26.4.1 hack/release.yaml", "2026-07-24"),
    ),
    repository="nvcr.io/nvidia/mellanox",
    driver="doca3.4.1-26.04-1.1.0.0-1",
    plugins="network-operator-v26.4.1",
)

NETWORK_OPERATORS = (
    NETWORK_OPERATOR,
    NetworkOperator(
        chart=Chart(
            title="NVIDIA Network Operator",
            chart="network-operator",
            repo=_NGC,
            version="26.1.1",
            source=Source("github.com/Mellanox/network-operator tag v26.1.1 hack/release.yaml", "2026-04"),
        ),
        repository="nvcr.io/nvidia/mellanox",
        driver="doca3.3.0-26.01-1.0.0.0-4",
        plugins="network-operator-v26.1.1",
    ),
)
"""Sets that fit together, the usual one first."""


def _tests(architecture: str) -> NcclTests:
    return NcclTests(
        # Immutable, built for sm_80 and up: Azure's own image lacks A100 and has a floating tag alone.
        image="ghcr.io/coreweave/nccl-tests:12.9.1-devel-ubuntu24.04-nccl2.29.2-1-d73ec07",
        architecture=architecture,
        tests="/opt/nccl_tests/build",
        mpirun="/opt/hpcx/ompi/bin/mpirun",
        # MPI starts the ranks and no more; over UCX or HCOLL it would look for InfiniBand of its own.
        mpi_args="--mca pml ^ucx --mca coll ^hcoll,ucc",
        source=Source(
            "github.com/kubernetes-sigs/dranet@f258477 examples/azure_aks_examples/gb300/mpi-job.yaml; "
            "github.com/coreweave/nccl-tests Dockerfile",
            "2026-08-21",
        ),
    )


INFINIBAND_TESTS = (_tests("amd64"), _tests("arm64"))
