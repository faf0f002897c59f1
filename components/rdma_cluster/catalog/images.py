"""Every container image that a stack runs, by itself or through a chart.

A row is the reference, the processors it is built for, how sure it is that it can be fetched, and who says so.
"""

from .artifact import Certainty, Image
from .machine import Source

_SURE, _LIKELY = Certainty.SURE, Certainty.LIKELY
_BOTH, _AMD64, _ARM64 = ("amd64", "arm64"), ("amd64",), ("arm64",)

_AICR = Source("github.com/NVIDIA/aicr docs, container images of the live charts", "2026-10-31")
_CEA = "github.com/GoogleCloudPlatform/container-engine-accelerators@992db81"
_GIB = "docs.cloud.google.com/ai-hypercomputer/docs/nccl/release-notes-{} (NCCL/gIB v1.1.2, with digests)"
_GIB_X86, _GIB_ARM = Source(_GIB.format("x86"), "2026-05-14"), Source(_GIB.format("arm64"), "2026-05-14")
_TCPX = Source(f"{_CEA.partition('@')[0]} gpudirect-tcpx/README.md, release of 2026-06-22", "2026-06-22")
_TCPXO = Source(f"{_CEA} gpudirect-tcpxo/README.md, release of 2026-01-09", "2026-06-11")
_OKE = Source(
    "github.com/oracle-quickstart/oci-hpc-oke@main manifests/nccl-tests, docker/nccl-tests (#276)", "2026-07-20"
)
_GPU_OPERATOR_TAG = "github.com/NVIDIA/gpu-operator tag v26.3.3 deployments/gpu-operator"
_GPU_OPERATOR = Source(
    f"{_GPU_OPERATOR_TAG}/values.yaml; github.com/NVIDIA/aicr docs, container images of the live charts", "2026-10-31"
)
_NETWORK_OPERATOR = Source(
    "github.com/Mellanox/network-operator-docs docs/advanced/images-sha256.rst of 26.7.0 (each with its digest)",
    "2026-11-23",
)
_AZURE_LUSTRE = Source(
    "github.com/kubernetes-sigs/azurelustre-csi-driver charts/README.md, released chart versions; charts/latest "
    "values.yaml",
    "2026-11-22",
)
_VLLM = "github.com/aws/deep-learning-containers pull 6667"


# fmt: off
# Drivers of GPUs and NICs.
DRA_DRIVER_NVIDIA = Image("registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.5.0"
    "@sha256:e1f104e64383ee693e982a5e6b7cf0b750023aaa5cc9b7dcc37c8e0549232933", _BOTH, _SURE,
    Source("github.com/kubernetes/k8s.io/pull/9845", "2026-08-19"))
DRANET = Image("registry.k8s.io/networking/dranet:v1.4.0"
    "@sha256:8d452a75f32465ca69aa5a7877f476add8641fe7c91a30ace3343174c1ef695f", _BOTH, _SURE, Source(
    "github.com/kubernetes/k8s.io@05521f2 registry.k8s.io/images/k8s-staging-networking/images.yaml", "2026-07-20"))
# No manifest of these two was seen. The charts' default nodes are both Intel's and AWS's own processors: p5, c7g,
# p6e-gb200.
AWS_DRANET = Image("602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/dranet:v1.2.0-eksbuild.2", _BOTH, _LIKELY,
    Source("github.com/aws/eks-charts@b4e9338 stable/aws-dranet/values.yaml", "2026-08-03"))
EFA_DEVICE_PLUGIN = Image(
    "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.20", _BOTH, _SURE, _AICR)
NVIDIA_DEVICE_PLUGIN = Image("nvcr.io/nvidia/k8s-device-plugin:v0.19.3", _BOTH, _SURE, _AICR)

# NCCL's plugins on GKE.
GIB_INSTALLER = Image("us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib:v1.1.2"
    "@sha256:b71627dcf88862cd0e64434dfd0224441960db58f2022f94b5f56123659c207e", _AMD64, _SURE, _GIB_X86)
GIB_DIAGNOSTIC = Image("us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib-diagnostic:v1.1.2"
    "@sha256:61c917022538e59d24f597038a8ad7087a026d60715256ae39e7f06ef20ebde0", _AMD64, _SURE, _GIB_X86)
GIB_ARM_INSTALLER = Image("us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib-arm64:v1.1.2"
    "@sha256:6b7950cac6e6833661d4206920f5633b6e361b18bfd5315b63f9bf4a4b84a80e", _ARM64, _SURE, _GIB_ARM)
GIB_ARM_DIAGNOSTIC = Image("us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib-diagnostic-arm64:v1.1.2"
    "@sha256:44067b8118bf982fba30a1a61ab56d346aca30aedd1fe41d3880ab0a78cafbc8", _ARM64, _SURE, _GIB_ARM)
# Plugin, NCCL 2.28.9 and the RDMA libraries in one: on A4X Max nothing of them is on the host.
GIB_METAL = Image("us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-gib-a4x-max-arm64:v1.1.1", _ARM64, _SURE,
    Source(f"{_CEA} gpudirect-rdma/nccl-test-a4x-max-jobset.yaml", "2026-06-11"))
ASAPD_LITE = Image("us-docker.pkg.dev/gce-ai-infra/asapd-lite/asapd-lite:v0.0.8", _ARM64, _SURE,
    Source(f"{_CEA} asapd-lite-installer/asapd-lite-installer-a4x-max-bm-cos.yaml; cluster-toolkit v1.95.0 "
    "examples/gke-a4x-max-bm/asapd-lite-installer.yaml", "2026-06-25"))
# sha256:4c9f0de3f394... by NVIDIA/aicr's list of live images.
TCPXO_PLUGIN = Image(
    "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.15", _AMD64, _SURE, _TCPXO)
# sha256:8d9e10fd589a... by the same list.
TCPXO_DAEMON = Image("us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.21", _AMD64, _SURE, _TCPXO)
# Never `:latest`, a build of 2023 that aborts on driver 580. This pair was run at 83 GB/s on GKE 1.35 (2026-07-31).
TCPX_PLUGIN = Image(
    "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.12", _AMD64, _SURE, _TCPX)
TCPX_DAEMON = Image("us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.15", _AMD64, _SURE, _TCPX)
# No manifest was seen; Google's own runs it on A3 and G4 nodes. It took the place of 7704e2bd (1.0.25-gke.6), which
# NVIDIA/aicr's list still has, on 2026-03-13 (d7103252).
NRI_DEVICE_INJECTOR = Image("gcr.io/gke-release/nri-device-injector"
    "@sha256:6e79483d52abdc28454bf186320b10a56b0f117a10e8d65d5c74dbb821a76970", _AMD64, _SURE,
    Source(f"{_CEA} nri_device_injector/nri-device-injector.yaml", "2026-03-13"))
# GKE preloads this image on COS nodes, built for the node's own kernel.
COS_DRIVER_INSTALLER = Image("cos-nvidia-installer:fixed", _BOTH, _SURE,
    Source(f"{_CEA} nvidia-driver-installer/cos/daemonset-preloaded.yaml", "2026-06-09"), preloaded=True)
PAUSE = Image("gke.gcr.io/pause:3.8@sha256:880e63f94b145e46f1b1082bb71b85e21f16b99b180b9996407d61240ceb9830",
    _BOTH, _SURE, Source(f"{_CEA} gpudirect-rdma/nccl-rdma-installer.yaml", "2026-06-09"))

# The acceptance test.
# Any Python from 3.10 on would do: the judge needs the standard library alone.
JUDGE_PYTHON = Image("docker.io/library/python:3.13.7-slim"
    "@sha256:8220ccec22e88cddd9a541cacd1bf48423bda8cdeb1015249e4b298edf86cdc7", _BOTH, _SURE,
    Source("github.com/RDFLib/rdflib@d45c236 docker/latest/Dockerfile", "2026-11-21"))
# CUDA 13 is the first here that knows the B300 (sm_103), and asks for driver 580, which AWS's images bring from EKS
# 1.33 on. For arm64 only a floating tag is published: public.ecr.aws/u1m6g1t5/nccl-tests-arm64:latest.
EFA_NCCL_TESTS = Image("public.ecr.aws/hpc-cloud/nccl-tests:cuda13.0.2-efa1.48.0-ofiv1.19.0-ncclv2.30.4-1-testsv2.18.3"
    "@sha256:a5390d3f0eb50f3e5854085e2ae0fef90b9eb4f3b7486ed4cab0d47864809d4c", _AMD64, _SURE,
    Source("github.com/awslabs/awsome-distributed-ai@95b939c micro-benchmarks/nccl-tests; of the digest: "
    "examples/use-cases/gpu-cluster-failure-patterns, which ran it in September", "2026-11-22"))
OKE_NCCL_TESTS = Image(
    "iad.ocir.io/idxzjcdglx2s/nccl-tests:cuda-13.3.0-ubuntu-24.04-nccl-2.30.4-071626.0", _BOTH, _LIKELY, _OKE)
# For nodes whose driver brings CUDA 12.
OKE_NCCL_TESTS_CUDA_12 = Image(
    "iad.ocir.io/idxzjcdglx2s/nccl-tests:cuda-12.9.1-ubuntu-24.04-nccl-2.29.3-020926.1", _BOTH, _LIKELY, _OKE)
# Immutable, built for sm_80 and up: Azure's own image lacks A100 and has a floating tag alone.
INFINIBAND_NCCL_TESTS = Image("ghcr.io/coreweave/nccl-tests:12.9.1-devel-ubuntu24.04-nccl2.29.2-1-d73ec07",
    _BOTH, _SURE, Source("github.com/kubernetes-sigs/dranet@f258477 examples/azure_aks_examples/gb300/mpi-job.yaml; "
    "github.com/coreweave/nccl-tests Dockerfile", "2026-08-21"))
# The release workflow tags versions without a v. 0.8.1 never came out.
MPI_OPERATOR = Image("docker.io/mpioperator/mpi-operator:0.8.2", _BOTH, _LIKELY,
    Source("github.com/kubeflow/mpi-operator/issues/820; tag v0.8.2", "2026-07-03"))

# NVIDIA's GPU Operator, and monitoring.
GPU_OPERATOR = Image("nvcr.io/nvidia/gpu-operator:v26.3.3", _BOTH, _SURE,
    Source(f"{_GPU_OPERATOR_TAG}/values.yaml", "2026-06-23"))
# The operator appends the node's system: -ubuntu24.04.
GPU_DRIVER = Image("nvcr.io/nvidia/driver:580.126.20", _BOTH, _SURE, _GPU_OPERATOR, suffixes=("-ubuntu24.04",))
GPU_DRIVER_MANAGER = Image("nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.11.0", _BOTH, _SURE, _GPU_OPERATOR)
CONTAINER_TOOLKIT = Image("nvcr.io/nvidia/k8s/container-toolkit:v1.19.1", _BOTH, _SURE, _GPU_OPERATOR)
DCGM_EXPORTER = Image("nvcr.io/nvidia/k8s/dcgm-exporter:4.5.3-4.8.2-distroless", _BOTH, _SURE, _GPU_OPERATOR)
# With a shell, which the tag's distroless variant lacks.
# sha256:c9ef89f9464f... by a public record of images with their digests.
NODE_EXPORTER = Image("quay.io/prometheus/node-exporter:v1.12.1", _BOTH, _SURE,
    Source("github.com/prometheus/node_exporter@a7dcc3a VERSION, Dockerfile; three public lists that name it, two "
    "with a digest", "2026-11-23"))
# sha256:f9ef2ebee551... by a public record of images with their digests; it ran beside this operator for 22 days.
NFD = Image("registry.k8s.io/nfd/node-feature-discovery:v0.18.3", _BOTH, _SURE,
    Source(f"{_GPU_OPERATOR_TAG}/charts/node-feature-discovery (its appVersion); somebody's list of running pods",
    "2026-11-23"))

# NVIDIA's Network Operator.
# sha256:7647afe6b481...
NETWORK_OPERATOR = Image("nvcr.io/nvidia/cloud-native/network-operator:v26.7.0", _BOTH, _SURE, _NETWORK_OPERATOR)
# sha256:916e812d0db5...
NETWORK_OPERATOR_INIT = Image("nvcr.io/nvidia/mellanox/network-operator-init-container:network-operator-v26.7.0",
    _BOTH, _SURE, _NETWORK_OPERATOR)
# Not on NVIDIA's list of the release's images, nor pulled by anybody on record. NFD's own 0.19.0 does not do: the chart
# is of a later state of NFD, whose worker knows -owner-refs.
NETWORK_OPERATOR_NFD = Image("nvcr.io/nvidia/mellanox/node-feature-discovery:network-operator-v26.7.0",
    _BOTH, _LIKELY, Source("values of the chart 26.7.0 (github.com/spectrocloud/pack-central packs/"
    "nvidia-network-operator-26.7.0); Mellanox/network-operator tag v26.7.0-rc.2 hack/release.yaml", "2026-11-23"))
# The operator appends system and processor: -ubuntu24.04-amd64 (sha256:423e43e617f6...) or -arm64
# (sha256:078eda21ec5d...).
DOCA_DRIVER = Image("nvcr.io/nvidia/mellanox/doca-driver:doca3.5.0-26.07-0.7.7.0-1", _BOTH, _SURE, _NETWORK_OPERATOR,
    suffixes=("-ubuntu24.04-amd64", "-ubuntu24.04-arm64"))
# sha256:2d28133fdee8...
RDMA_SHARED_DEVICE_PLUGIN = Image("nvcr.io/nvidia/mellanox/k8s-rdma-shared-dev-plugin:network-operator-v26.7.0",
    _BOTH, _SURE, _NETWORK_OPERATOR)
# sha256:36367997ead0...
SRIOV_DEVICE_PLUGIN = Image("nvcr.io/nvidia/mellanox/sriov-network-device-plugin:network-operator-v26.7.0",
    _BOTH, _SURE, _NETWORK_OPERATOR)

# Azure's Lustre.
# The chart appends the node's system: -jammy, -noble. It is amd64 alone with the first.
AZURE_LUSTRE_DRIVER = Image(
    "mcr.microsoft.com/oss/v2/kubernetes-csi/azurelustre-csi:v0.6.0", _BOTH, _LIKELY, _AZURE_LUSTRE,
    suffixes=("-jammy", "-noble"))
AZURE_LUSTRE_PROVISIONER = Image(
    "mcr.microsoft.com/oss/v2/kubernetes-csi/csi-provisioner:v5.3.0", _BOTH, _LIKELY, _AZURE_LUSTRE)
AZURE_LUSTRE_LIVENESS = Image(
    "mcr.microsoft.com/oss/v2/kubernetes-csi/livenessprobe:v2.20.0", _BOTH, _LIKELY, _AZURE_LUSTRE)
AZURE_LUSTRE_REGISTRAR = Image(
    "mcr.microsoft.com/oss/v2/kubernetes-csi/csi-node-driver-registrar:v2.18.0", _BOTH, _LIKELY, _AZURE_LUSTRE)

# Queues and inference.
KUEUE = Image("registry.k8s.io/kueue/kueue:v0.19.2", _BOTH, _SURE,
    Source("github.com/kubernetes/k8s.io/pull/9856", "2026-08-20"))
# sha256:e75536f1135b...
JOBSET = Image("registry.k8s.io/jobset/jobset:v0.12.0", _BOTH, _SURE,
    Source("github.com/kubernetes/k8s.io/pull/9456", "2026-05-08"))
# The promoter takes images for all of Kubernetes' own platforms.
LEADER_WORKER_SET = Image("registry.k8s.io/lws/lws:v0.10.0", _BOTH, _SURE,
    Source("github.com/kubernetes/k8s.io/pull/9827; recorded on somebody's cluster on 2026-09-14", "2026-09-14"))
# sha256:61fc8a896b0a4fbbbdc063bc4b0dbc25ce98e02b5050c24aeb7830ac02039b14 by a record of somebody's run. CUDA 13, so
# driver 580.
VLLM = Image("docker.io/vllm/vllm-openai:v0.28.0", _BOTH, _SURE, Source(f"{_VLLM}, which builds on it", "2026-08-27"))
# CUDA 12.9, for nodes whose driver brings CUDA 12: since 0.20 the tag without a suffix is CUDA 13
# (NVIDIA/Model-Optimizer pull 2042).
VLLM_CUDA_12 = Image("docker.io/vllm/vllm-openai:v0.28.0-cu129", _BOTH, _SURE,
    Source("two public build files that name it, one with a digest", "2026-11-22"))
# ``VLLM`` with libfabric and aws-ofi-nccl: without them it would speak TCP on EFA.
VLLM_EFA = Image("public.ecr.aws/deep-learning-containers/vllm:0.28.0-gpu-py312-ec2", _AMD64, _SURE,
    Source(f"{_VLLM}; of its public registry: docs/src/data/vllm at e0ecedea6a", "2026-08-27"))
# fmt: on
