"""Every container image that a stack runs, by itself or through a chart."""

from .artifact import Certainty, Image
from .machine import Source

_BOTH = ("amd64", "arm64")
_CEA = "github.com/GoogleCloudPlatform/container-engine-accelerators@992db81"
_NOTES = "docs.cloud.google.com/ai-hypercomputer/docs/nccl/release-notes-x86 (NCCL/gIB v1.1.2, with digests)"
_OKE = "github.com/oracle-quickstart/oci-hpc-oke@main"
_NETWORK_OPERATOR = "github.com/Mellanox/network-operator tag v26.4.1 hack/release.yaml"
_GPU_OPERATOR = Source(
    "github.com/NVIDIA/gpu-operator tag v26.3.3 deployments/gpu-operator/values.yaml; github.com/NVIDIA/aicr docs, "
    "container images of the live charts",
    "2026-10-31",
)
_AW = "github.com/awslabs/awsome-distributed-ai@95b939c micro-benchmarks/nccl-tests"

DRA_DRIVER_NVIDIA = Image(
    image="registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.5.0",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    # sha256:e1f104e64383ee693e982a5e6b7cf0b750023aaa5cc9b7dcc37c8e0549232933
    source=Source("github.com/kubernetes/k8s.io/pull/9845", "2026-08-19"),
)

DRANET = Image(
    image="registry.k8s.io/networking/dranet:v1.4.0",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    # sha256:8d452a75f32465ca69aa5a7877f476add8641fe7c91a30ace3343174c1ef695f
    source=Source(
        "github.com/kubernetes/k8s.io@05521f2 registry.k8s.io/images/k8s-staging-networking/images.yaml", "2026-07-20"
    ),
)

AWS_DRANET = Image(
    image="602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/dranet:v1.2.0-eksbuild.2",
    # No manifest was seen. The chart's default nodes are both Intel's and AWS's own processors: p5, c7g, p6e-gb200.
    architectures=_BOTH,
    certainty=Certainty.LIKELY,
    source=Source("github.com/aws/eks-charts@b4e9338 stable/aws-dranet/values.yaml", "2026-08-03"),
)

EFA_DEVICE_PLUGIN = Image(
    image="602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.20",
    # As above.
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source("github.com/NVIDIA/aicr docs, container images of the live charts", "2026-10-31"),
)

NVIDIA_DEVICE_PLUGIN = Image(
    image="nvcr.io/nvidia/k8s-device-plugin:v0.19.3",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source("github.com/NVIDIA/aicr docs, container images of the live charts", "2026-10-31"),
)

GIB_INSTALLER = Image(
    image="us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib:v1.1.2"
    "@sha256:b71627dcf88862cd0e64434dfd0224441960db58f2022f94b5f56123659c207e",
    architectures=("amd64",),
    certainty=Certainty.SURE,
    source=Source(_NOTES, "2026-05-14"),
)

GIB_DIAGNOSTIC = Image(
    image="us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib-diagnostic:v1.1.2"
    "@sha256:61c917022538e59d24f597038a8ad7087a026d60715256ae39e7f06ef20ebde0",
    architectures=("amd64",),
    certainty=Certainty.SURE,
    source=Source(_NOTES, "2026-05-14"),
)

_NOTES_ARM = "docs.cloud.google.com/ai-hypercomputer/docs/nccl/release-notes-arm64 (NCCL/gIB v1.1.2, with digests)"

GIB_ARM_INSTALLER = Image(
    image="us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib-arm64:v1.1.2"
    "@sha256:6b7950cac6e6833661d4206920f5633b6e361b18bfd5315b63f9bf4a4b84a80e",
    architectures=("arm64",),
    certainty=Certainty.SURE,
    source=Source(_NOTES_ARM, "2026-05-14"),
)

GIB_ARM_DIAGNOSTIC = Image(
    image="us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib-diagnostic-arm64:v1.1.2"
    "@sha256:44067b8118bf982fba30a1a61ab56d346aca30aedd1fe41d3880ab0a78cafbc8",
    architectures=("arm64",),
    certainty=Certainty.SURE,
    source=Source(_NOTES_ARM, "2026-05-14"),
)

GIB_METAL = Image(
    # Plugin, NCCL 2.28.9 and the RDMA libraries in one: on A4X Max nothing of them is on the host.
    image="us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-gib-a4x-max-arm64:v1.1.1",
    architectures=("arm64",),
    certainty=Certainty.SURE,
    source=Source(f"{_CEA} gpudirect-rdma/nccl-test-a4x-max-jobset.yaml", "2026-06-11"),
)

ASAPD_LITE = Image(
    image="us-docker.pkg.dev/gce-ai-infra/asapd-lite/asapd-lite:v0.0.8",
    architectures=("arm64",),
    certainty=Certainty.SURE,
    source=Source(
        f"{_CEA} asapd-lite-installer/asapd-lite-installer-a4x-max-bm-cos.yaml; cluster-toolkit v1.95.0 "
        "examples/gke-a4x-max-bm/asapd-lite-installer.yaml",
        "2026-06-25",
    ),
)

_TCPXO = f"{_CEA} gpudirect-tcpxo/README.md, release of 2026-01-09"

TCPXO_PLUGIN = Image(
    # sha256:4c9f0de3f394... by NVIDIA/aicr's list of live images.
    image="us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.15",
    architectures=("amd64",),
    certainty=Certainty.SURE,
    source=Source(_TCPXO, "2026-06-11"),
)

TCPXO_DAEMON = Image(
    # sha256:8d9e10fd589a... by the same list.
    image="us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.21",
    architectures=("amd64",),
    certainty=Certainty.SURE,
    source=Source(_TCPXO, "2026-06-11"),
)

_TCPX = "github.com/GoogleCloudPlatform/container-engine-accelerators gpudirect-tcpx/README.md, release of 2026-06-22"

TCPX_PLUGIN = Image(
    # Never `:latest`, a build of 2023 that aborts on driver 580. This pair was run at 83 GB/s on GKE 1.35 (2026-07-31).
    image="us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.12",
    architectures=("amd64",),
    certainty=Certainty.SURE,
    source=Source(_TCPX, "2026-06-22"),
)

TCPX_DAEMON = Image(
    image="us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.15",
    architectures=("amd64",),
    certainty=Certainty.SURE,
    source=Source(_TCPX, "2026-06-22"),
)

NRI_DEVICE_INJECTOR = Image(
    image="gcr.io/gke-release/nri-device-injector"
    "@sha256:6e79483d52abdc28454bf186320b10a56b0f117a10e8d65d5c74dbb821a76970",
    # No manifest was seen; Google's own runs it on A3 and G4 nodes.
    architectures=("amd64",),
    certainty=Certainty.SURE,
    source=Source(f"{_CEA} nri_device_injector/nri-device-injector.yaml", "2026-03-13"),
)

COS_DRIVER_INSTALLER = Image(
    # GKE preloads this image on COS nodes, built for the node's own kernel.
    image="cos-nvidia-installer:fixed",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source(f"{_CEA} nvidia-driver-installer/cos/daemonset-preloaded.yaml", "2026-06-09"),
    preloaded=True,
)

PAUSE = Image(
    image="gke.gcr.io/pause:3.8@sha256:880e63f94b145e46f1b1082bb71b85e21f16b99b180b9996407d61240ceb9830",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source(f"{_CEA} gpudirect-rdma/nccl-rdma-installer.yaml", "2026-06-09"),
)

JUDGE_PYTHON = Image(
    # Any Python from 3.10 on would do: the judge needs the standard library alone.
    image="docker.io/library/python:3.13.7-slim@sha256:8220ccec22e88cddd9a541cacd1bf48423bda8cdeb1015249e4b298edf86cdc7",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source("github.com/RDFLib/rdflib@d45c236 docker/latest/Dockerfile", "2026-11-21"),
)

EFA_NCCL_TESTS = Image(
    # CUDA 13 is the first here that knows the B300 (sm_103), and asks for driver 580, which AWS's images bring from
    # EKS 1.33 on. For arm64 only a floating tag is published: public.ecr.aws/u1m6g1t5/nccl-tests-arm64:latest.
    image="public.ecr.aws/hpc-cloud/nccl-tests:cuda13.0.2-efa1.48.0-ofiv1.19.0-ncclv2.30.4-1-testsv2.18.3"
    "@sha256:a5390d3f0eb50f3e5854085e2ae0fef90b9eb4f3b7486ed4cab0d47864809d4c",
    architectures=("amd64",),
    certainty=Certainty.SURE,
    source=Source(
        f"{_AW}; of the digest: examples/use-cases/gpu-cluster-failure-patterns, which ran it in September",
        "2026-11-22",
    ),
)

OKE_NCCL_TESTS = Image(
    image="iad.ocir.io/idxzjcdglx2s/nccl-tests:cuda-13.3.0-ubuntu-24.04-nccl-2.30.4-071626.0",
    architectures=_BOTH,
    certainty=Certainty.LIKELY,
    source=Source(f"{_OKE} manifests/nccl-tests, docker/nccl-tests (#276)", "2026-07-20"),
)

OKE_NCCL_TESTS_CUDA_12 = Image(
    # For nodes whose driver brings CUDA 12.
    image="iad.ocir.io/idxzjcdglx2s/nccl-tests:cuda-12.9.1-ubuntu-24.04-nccl-2.29.3-020926.1",
    architectures=_BOTH,
    certainty=Certainty.LIKELY,
    source=Source(f"{_OKE} manifests/nccl-tests, docker/nccl-tests (#276)", "2026-07-20"),
)

MPI_OPERATOR = Image(
    # The release workflow tags versions without a v. 0.8.1 never came out.
    image="docker.io/mpioperator/mpi-operator:0.8.2",
    architectures=_BOTH,
    certainty=Certainty.LIKELY,
    source=Source("github.com/kubeflow/mpi-operator/issues/820; tag v0.8.2", "2026-07-03"),
)

GPU_OPERATOR = Image(
    image="nvcr.io/nvidia/gpu-operator:v26.3.3",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source("github.com/NVIDIA/gpu-operator tag v26.3.3 deployments/gpu-operator/values.yaml", "2026-06-23"),
)

GPU_DRIVER = Image(
    # The operator appends the node's system: -ubuntu24.04.
    image="nvcr.io/nvidia/driver:580.126.20",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=_GPU_OPERATOR,
)

_AZURE_LUSTRE = Source(
    "github.com/kubernetes-sigs/azurelustre-csi-driver charts/README.md, released chart versions; charts/latest "
    "values.yaml",
    "2026-11-22",
)

AZURE_LUSTRE_DRIVER = Image(
    # The chart appends the node's system: -jammy, -noble. It is amd64 alone with the first.
    image="mcr.microsoft.com/oss/v2/kubernetes-csi/azurelustre-csi:v0.6.0",
    architectures=_BOTH,
    certainty=Certainty.LIKELY,
    source=_AZURE_LUSTRE,
)

AZURE_LUSTRE_PROVISIONER = Image(
    image="mcr.microsoft.com/oss/v2/kubernetes-csi/csi-provisioner:v5.3.0",
    architectures=_BOTH,
    certainty=Certainty.LIKELY,
    source=_AZURE_LUSTRE,
)

AZURE_LUSTRE_LIVENESS = Image(
    image="mcr.microsoft.com/oss/v2/kubernetes-csi/livenessprobe:v2.20.0",
    architectures=_BOTH,
    certainty=Certainty.LIKELY,
    source=_AZURE_LUSTRE,
)

AZURE_LUSTRE_REGISTRAR = Image(
    image="mcr.microsoft.com/oss/v2/kubernetes-csi/csi-node-driver-registrar:v2.18.0",
    architectures=_BOTH,
    certainty=Certainty.LIKELY,
    source=_AZURE_LUSTRE,
)

GPU_DRIVER_MANAGER = Image(
    image="nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.11.0",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=_GPU_OPERATOR,
)

CONTAINER_TOOLKIT = Image(
    image="nvcr.io/nvidia/k8s/container-toolkit:v1.19.1",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=_GPU_OPERATOR,
)

DCGM_EXPORTER = Image(
    image="nvcr.io/nvidia/k8s/dcgm-exporter:4.5.3-4.8.2-distroless",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=_GPU_OPERATOR,
)

NODE_EXPORTER = Image(
    # With a shell, which the tag's distroless variant lacks.
    image="quay.io/prometheus/node-exporter:v1.12.1",
    architectures=_BOTH,
    certainty=Certainty.LIKELY,
    source=Source(
        "github.com/prometheus/node_exporter@a7dcc3a VERSION, Dockerfile; "
        "github.com/prometheus-community/helm-charts@cf408a2 charts/prometheus-node-exporter (its appVersion)",
        "2026-08-22",
    ),
)

NFD = Image(
    image="registry.k8s.io/nfd/node-feature-discovery:v0.18.3",
    architectures=_BOTH,
    certainty=Certainty.LIKELY,
    source=Source(
        "github.com/NVIDIA/gpu-operator tag v26.3.3 deployments/gpu-operator/charts/node-feature-discovery (its "
        "appVersion)",
        "2026-06-23",
    ),
)

NETWORK_OPERATOR = Image(
    image="nvcr.io/nvidia/cloud-native/network-operator:v26.4.1",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source(f"{_NETWORK_OPERATOR} (digest 49d8bd43fa45)", "2026-07-24"),
)

NETWORK_OPERATOR_INIT = Image(
    image="nvcr.io/nvidia/mellanox/network-operator-init-container:network-operator-v26.4.1",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source(_NETWORK_OPERATOR, "2026-07-24"),
)

NETWORK_OPERATOR_NFD = Image(
    # Not on NVIDIA's list of the release's images.
    image="nvcr.io/nvidia/mellanox/node-feature-discovery:network-operator-v26.4.1",
    architectures=_BOTH,
    certainty=Certainty.LIKELY,
    source=Source(
        "github.com/Mellanox/network-operator tag v26.4.1 deployment/network-operator/values.yaml", "2026-07-24"
    ),
)

DOCA_DRIVER = Image(
    # The operator appends system and processor: -ubuntu24.04-amd64.
    image="nvcr.io/nvidia/mellanox/doca-driver:doca3.4.1-26.04-1.1.0.0-1",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source(f"{_NETWORK_OPERATOR} (digests edce1f95a577, c802335d2379)", "2026-07-24"),
)

RDMA_SHARED_DEVICE_PLUGIN = Image(
    image="nvcr.io/nvidia/mellanox/k8s-rdma-shared-dev-plugin:network-operator-v26.4.1",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source(f"{_NETWORK_OPERATOR} (digest 464970d3197f)", "2026-07-24"),
)

SRIOV_DEVICE_PLUGIN = Image(
    image="nvcr.io/nvidia/mellanox/sriov-network-device-plugin:network-operator-v26.4.1",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source(f"{_NETWORK_OPERATOR} (digest c24d0993feb9)", "2026-07-24"),
)

INFINIBAND_NCCL_TESTS = Image(
    # Immutable, built for sm_80 and up: Azure's own image lacks A100 and has a floating tag alone.
    image="ghcr.io/coreweave/nccl-tests:12.9.1-devel-ubuntu24.04-nccl2.29.2-1-d73ec07",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source(
        "github.com/kubernetes-sigs/dranet@f258477 examples/azure_aks_examples/gb300/mpi-job.yaml; "
        "github.com/coreweave/nccl-tests Dockerfile",
        "2026-08-21",
    ),
)

KUEUE = Image(
    image="registry.k8s.io/kueue/kueue:v0.19.2",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source("github.com/kubernetes/k8s.io/pull/9856", "2026-08-20"),
)

JOBSET = Image(
    # sha256:e75536f1135b...
    image="registry.k8s.io/jobset/jobset:v0.12.0",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source("github.com/kubernetes/k8s.io/pull/9456", "2026-05-08"),
)

_VLLM = "github.com/aws/deep-learning-containers pull 6667"

VLLM = Image(
    # sha256:61fc8a896b0a4fbbbdc063bc4b0dbc25ce98e02b5050c24aeb7830ac02039b14 by a record of somebody's run. CUDA 13, so
    # driver 580.
    image="docker.io/vllm/vllm-openai:v0.28.0",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source(f"{_VLLM}, which builds on it", "2026-08-27"),
)

VLLM_CUDA_12 = Image(
    # CUDA 12.9, for nodes whose driver brings CUDA 12: since 0.20 the tag without a suffix is CUDA 13
    # (NVIDIA/Model-Optimizer pull 2042).
    image="docker.io/vllm/vllm-openai:v0.28.0-cu129",
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source("two public build files that name it, one with a digest", "2026-11-22"),
)

VLLM_EFA = Image(
    # ``VLLM`` with libfabric and aws-ofi-nccl: without them it would speak TCP on EFA.
    image="public.ecr.aws/deep-learning-containers/vllm:0.28.0-gpu-py312-ec2",
    architectures=("amd64",),
    certainty=Certainty.SURE,
    source=Source(f"{_VLLM}; of its public registry: docs/src/data/vllm at e0ecedea6a", "2026-08-27"),
)

LEADER_WORKER_SET = Image(
    image="registry.k8s.io/lws/lws:v0.10.0",
    # The promoter takes images for all of Kubernetes' own platforms.
    architectures=_BOTH,
    certainty=Certainty.SURE,
    source=Source("github.com/kubernetes/k8s.io/pull/9827; recorded on somebody's cluster on 2026-09-14", "2026-09-14"),
)
