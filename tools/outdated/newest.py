"""What publishers had out when somebody last looked, and why a pin is behind: `make outdated` sets it beside the pins.

A row serves every chart and image whose reference, or chart's name, begins with its key; the longest key wins. A reason
is as old as its row: after 120 days somebody has to look again.
"""

from pulumi_offline.frozen import frozen
from rdma_cluster.catalog.machine import Source


@frozen
class Newest:
    """The newest that a publisher's list names."""

    version: str
    """As it stands in a tag; empty where its list names none that is newer than ours."""
    source: Source
    """The list, and the day on which it was read."""
    held: str = ""
    """Why the pin stays behind."""


_LOOKED = "2026-11-23"
_AGAIN = "2026-11-28"
_UNSEEN = Source("no list of its publisher that was read has one that is newer", "2026-11-22")
_SHEET = "its publisher's releases, seen as an excerpt"
_EKS_CHARTS = Source("github.com/aws/eks-charts/pull/1366, merged 2026-09-10", _LOOKED)
_AICR = Source("github.com/NVIDIA/aicr docs, container images of the live charts", _LOOKED)
_OPERATOR = (
    "26.3 gets critical fixes alone since 26.7 is out (catalog/support.py); the values and templates of 26.7.1 were "
    "not to be had, and 26.7.0's kind ComputeDomain is in the way of the DRA driver's (gpu-operator#2863). With driver "
    "595, which it brings, GPUDirect over EFA fails on P6e (aicr#2383; not a machine that the operator serves here): "
    "NVIDIA/aicr runs 26.7.1 with 580.173.02"
)
_OF_OPERATOR = "is of one row with the GPU Operator, which is held"
_VLLM = (
    "of one row are three images: the cu129 images of 0.30.0 and 0.31.0 fail when vllm is imported (torchvision, "
    "torchcodec of another CUDA), 0.32 and 0.33 were seen in no list, and AWS's for EFA ends at 0.31.0"
)

# fmt: off
NEWEST: dict[str, Newest] = {
    # Drivers.
    "registry.k8s.io/dra-driver-nvidia/": Newest("v0.5.1", Source("release notes of NVIDIA/aicr v1.2.0", _AGAIN),
        held="its promotion is in no list that was read, so its digests are not known"),
    "registry.k8s.io/networking/": Newest("v1.5.0",
        Source("github.com/oracle-quickstart/oci-hpc-oke docs, installing dranet manually", _LOOKED),
        held="its digest was in no list that was read, and the chart can be had by digest alone"),
    "aws-dranet": Newest("1.0.0", Source("github.com/aws/eks-charts@c7f9ea5 gh-pages index.yaml", _LOOKED)),
    "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/dranet": Newest("v1.2.0-eksbuild.39",
        Source(_SHEET, "2026-11-22"),
        held="goes with the chart, whose default is eksbuild.2; a later chart was not in the index that was read"),
    "aws-efa-k8s-device-plugin": Newest("after v0.5.30", _EKS_CHARTS,
        held="the text of the pull does not say which version the chart became"),
    "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin": Newest("v0.5.21-eksbuild.13",
        _EKS_CHARTS, held="goes with the chart, which is held; a v0.5.22-eksbuild.9 was seen as an excerpt"),
    "nvidia-device-plugin": Newest("0.20.0", Source("github.com/NVIDIA/k8s-device-plugin gh-pages index.yaml", _LOOKED),
        held=_OF_OPERATOR),
    "nvcr.io/nvidia/k8s-device-plugin": Newest("v0.20.1", _AICR, held=_OF_OPERATOR),
    # NVIDIA's operators.
    "gpu-operator": Newest("v26.7.1", _AICR, held=_OPERATOR),
    "nvcr.io/nvidia/gpu-operator": Newest("v26.7.1", _AICR, held=_OPERATOR),
    "nvcr.io/nvidia/driver": Newest("595.91.07",
        Source("github.com/NVIDIA/gpu-operator tag v26.7.0 values.yaml", _LOOKED), held=_OPERATOR),
    "nvcr.io/nvidia/cloud-native/k8s-driver-manager": Newest("v0.12.1", _AICR, held=_OF_OPERATOR),
    "nvcr.io/nvidia/k8s/container-toolkit": Newest("v1.20.1", _AICR, held=_OF_OPERATOR),
    "nvcr.io/nvidia/k8s/dcgm-exporter": Newest("4.6.1-4.8.4-distroless", _AICR, held=_OF_OPERATOR),
    "registry.k8s.io/nfd/": Newest("v0.19.0", _AICR, held=_OF_OPERATOR),
    # NVIDIA/aicr runs 26.4.1 beside both GPU Operators: catalog/support.py says why ours does not go back to it.
    "network-operator": Newest("26.7.0", _UNSEEN),
    "nvcr.io/nvidia/cloud-native/network-operator": Newest("v26.7.0", _UNSEEN),
    "nvcr.io/nvidia/mellanox/": Newest("network-operator-v26.7.0", _UNSEEN),
    "nvcr.io/nvidia/mellanox/doca-driver": Newest("doca3.5.0-26.07-0.7.7.0-1", _UNSEEN),
    # NCCL's plugins and tests.
    "us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/": Newest("v1.1.2", _UNSEEN),
    "us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-gib-a4x-max-arm64": Newest("v1.1.1", _UNSEEN),
    "us-docker.pkg.dev/gce-ai-infra/asapd-lite/": Newest("v0.0.8", _UNSEEN),
    "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev": Newest("v3.1.12", _UNSEEN),
    "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/tcpgpudmarxd-dev": Newest("v2.0.15", _UNSEEN),
    "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev": Newest("v1.0.17",
        Source("github.com/google/nccl-plugin-gpudirect-tcpxo tag v1.0.17", _LOOKED),
        held="the daemon that belongs to it is not in a release note that was read"),
    "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev": Newest("v1.0.23",
        Source("names on others' clusters", "2026-11-22"), held="goes with the plugin, which is held"),
    # NVIDIA/aicr's 1.0.25-gke.6 (7704e2bd) is what Google's manifest had until this one.
    "gcr.io/gke-release/nri-device-injector": Newest("",
        Source("github.com/GoogleCloudPlatform/container-engine-accelerators@d710325 nri_device_injector", _AGAIN)),
    "gke.gcr.io/pause": Newest("3.8", Source("NVIDIA/aicr docs; Google's own installers", _LOOKED)),
    "cos-nvidia-installer": Newest("fixed", _UNSEEN),
    "docker.io/library/python": Newest("3.13.15-slim", Source("github.com/docker-library/official-images", _LOOKED),
        held="its digest was in no list that was read; the judge runs on the standard library alone"),
    "public.ecr.aws/hpc-cloud/nccl-tests": Newest("cuda13.1.2-efa1.50.0-ofiv1.21.1-ncclv2.31.2-1-testsv2.20.0",
        Source("a guide for g7e", _LOOKED), held="nobody's run of it is on record, and no digest"),
    "iad.ocir.io/idxzjcdglx2s/nccl-tests": Newest("cuda-13.3.0-ubuntu-24.04-nccl-2.30.4-071626.0",
        Source("github.com/oracle-quickstart/oci-hpc-oke docs, running nccl tests", _LOOKED),
        held="the other is of CUDA 12, for older drivers: its newest"),
    "ghcr.io/coreweave/nccl-tests": Newest("nccl2.30.4-1-2eedd7c",
        Source("github.com/coreweave/nccl-tests README.md", _LOOKED),
        held="the tag in full was not read for CUDA 12.9; DraNet's example for Azure runs ours"),
    "docker.io/mpioperator/mpi-operator": Newest("0.8.2", _UNSEEN),
    # Add-ons.
    "quay.io/prometheus/node-exporter": Newest("v1.12.1", Source("the Go module's versions", _LOOKED)),
    "prometheus-operator-crds": Newest("31.0.1",
        Source("github.com/prometheus-community/helm-charts tags, 2026-08-22", _LOOKED)),
    "registry.k8s.io/kueue/": Newest("0.20.4", Source(f"{_SHEET}; 0.20.0: newreleases.io", _LOOKED),
        held="of no release after 0.19.2 is the source to be had here: neither could its rights be read, nor could "
        "`make e2e` run it. 0.19.5 is promoted (kubernetes/k8s.io#9955: chart 570cdfce9f99, image a55949705d7a). 0.20 "
        "serves no v1beta1; ours are v1beta2"),
    "registry.k8s.io/jobset/": Newest("0.12.0", Source("github.com/kubernetes-sigs/jobset/issues/1317", _LOOKED)),
    "registry.k8s.io/lws/": Newest("v0.11.1", Source("lws docs, installation", "2026-11-22"),
        held="the promotion of its chart is in no list that was read, nor its Go module to be had here"),
    "docker.io/vllm/vllm-openai": Newest("v0.33.0", Source("PyPI, vllm", _LOOKED), held=_VLLM),
    "public.ecr.aws/deep-learning-containers/vllm": Newest("0.31.0-gpu-py312-ec2",
        Source("github.com/aws/deep-learning-containers docs/src/data/vllm", _LOOKED), held=_VLLM),
    "mcr.microsoft.com/": Newest("",
        Source("kubernetes-sigs/azurelustre-csi-driver charts/README.md", "2026-11-22")),
}
# fmt: on


def newest_of(name: str) -> Newest | None:
    """The row of a chart's name or of a reference without its tag."""
    fitting = [key for key in NEWEST if name == key or name.startswith(key if key.endswith("/") else f"{key}/")]
    return NEWEST[max(fitting, key=len)] if fitting else None
