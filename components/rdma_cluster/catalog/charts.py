"""Every Helm chart that a stack installs."""

from . import images
from .artifact import Certainty, Chart
from .machine import Source

_SURE, _LIKELY = Certainty.SURE, Certainty.LIKELY
_NGC = "https://helm.ngc.nvidia.com/nvidia"
_EKS_CHARTS = "https://aws.github.io/eks-charts"
_EKS_INDEX = "github.com/aws/eks-charts@c7f9ea5 gh-pages index.yaml"

# fmt: off
NVIDIA_DRA_DRIVER = Chart("NVIDIA GPU DRA driver", "dra-driver-nvidia-gpu",
    "oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu@sha256:47e43e3fbcaf525accef5b5ad14d87e80e19ef1549839495dcb0eabd06ff3bbe",
    # The first to publish resource.kubernetes.io/numaNode. Sort by date, not by number: v25.12.0 (2026-02) came before
    # 0.4.0 (2026-05).
    version="0.5.0", tag="0.5.0", certainty=_SURE, image=images.DRA_DRIVER_NVIDIA,
    source=Source("github.com/kubernetes/k8s.io/pull/9845", "2026-08-19"))
DRANET = Chart("DraNet", "dranet",
    # Packaged as 1.4.0 and promoted as v1.4.0: Pulumi would ask for a tag 1.4.0, which does not exist. With a digest
    # Helm asks for no tag. 1.5.0 was not seen in the promoter's manifest.
    "oci://registry.k8s.io/networking/charts/dranet@sha256:8da67a537eca5cddeaf8148497acc24c4a88215e9370f386f0df91fa958c1fc0",
    version="1.4.0", tag="v1.4.0", certainty=_SURE, image=images.DRANET,
    source=Source("github.com/kubernetes/k8s.io@05521f2 registry.k8s.io/images/k8s-staging-networking/images.yaml; "
        "github.com/kubernetes/k8s.io/pull/9736", "2026-07-20"))
AWS_DRANET = Chart("AWS DRA driver for EFA", "aws-dranet", "aws-dranet", repo=_EKS_CHARTS, version="1.0.0",
    certainty=_SURE, image=images.AWS_DRANET, source=Source(f"{_EKS_INDEX} (digest 75ec190d5352)", "2026-08-03"))
EFA_DEVICE_PLUGIN = Chart("EFA device plugin", "aws-efa-k8s-device-plugin", "aws-efa-k8s-device-plugin",
    repo=_EKS_CHARTS, version="v0.5.30", certainty=_SURE, image=images.EFA_DEVICE_PLUGIN,
    source=Source(f"{_EKS_INDEX} (digest 43b3d666f81a)", "2026-08-03"))
NVIDIA_DEVICE_PLUGIN = Chart("NVIDIA device plugin", "nvidia-device-plugin", "nvidia-device-plugin",
    # 0.19.0 to 0.19.2 take every /dev/infiniband/uverbs* into each GPU container (k8s-device-plugin#1692).
    repo="https://nvidia.github.io/k8s-device-plugin", version="0.19.3", certainty=_SURE,
    image=images.NVIDIA_DEVICE_PLUGIN,
    source=Source("github.com/NVIDIA/k8s-device-plugin@bf58428 gh-pages index.yaml (digest 8f01067500e7)",
        "2026-08-20"))
GPU_OPERATOR = Chart("NVIDIA GPU Operator", "gpu-operator", "gpu-operator",
    # It brings driver 580.126.20 and toolkit 1.19.1. Why not 26.7 stands in newest.py.
    repo=_NGC, version="v26.3.3", certainty=_SURE, image=images.GPU_OPERATOR, image_in_pieces=True,
    source=Source("github.com/NVIDIA/gpu-operator gh-pages stable/index.yaml; tag v26.3.3", "2026-06-23"))
NETWORK_OPERATOR = Chart("NVIDIA Network Operator", "network-operator", "network-operator", repo=_NGC, version="26.7.0",
    certainty=_SURE, image=images.NETWORK_OPERATOR, image_in_pieces=True,
    source=Source("github.com/spectrocloud/pack-central packs/nvidia-network-operator-26.7.0, which holds the chart",
        "2026-11-23"))
AZURE_LUSTRE = Chart("Azure Lustre CSI driver", "azurelustre-csi-driver",
    "oci://mcr.microsoft.com/microsoft.azuremanagedlustre/azurelustre-csi-driver",
    # "The chart version is also its immutable OCI tag." No digest is published beside it.
    version="0.6.0", tag="0.6.0", certainty=_LIKELY, image=images.AZURE_LUSTRE_DRIVER, image_in_pieces=True,
    source=Source("github.com/kubernetes-sigs/azurelustre-csi-driver charts/README.md, released chart versions; "
        "learn.microsoft.com/azure/aks/azure-managed-lustre-install", "2026-11-22"))
KUEUE = Chart("Kueue", "kueue",
    "oci://registry.k8s.io/kueue/charts/kueue@sha256:ab436c33ef6c6b9b9e95b633e618bca0e0e436d6581d3b27bd12fc8a8026ab34",
    version="0.19.2", tag="0.19.2", certainty=_SURE, image=images.KUEUE, image_in_pieces=True,
    source=Source("github.com/kubernetes/k8s.io/pull/9856", "2026-08-20"))
JOBSET = Chart("JobSet", "jobset", "oci://registry.k8s.io/jobset/charts/jobset", version="0.12.0", tag="0.12.0",
    certainty=_SURE, image=images.JOBSET, image_in_pieces=True,
    # sha256:02808a890a0b...
    source=Source("github.com/kubernetes/k8s.io/pull/9456", "2026-05-08"))
LEADER_WORKER_SET = Chart("LeaderWorkerSet", "lws", "oci://registry.k8s.io/lws/charts/lws",
    # Packaged with the v (kubernetes-sigs/lws@060ab4d hack/push-chart.sh) and promoted with and without it: both tags
    # of 0.6.1, 0.6.2 and 0.7.0 have one digest in the promoter's manifest. That of 0.10.0 was not seen.
    version="v0.10.0", tag="v0.10.0", certainty=_LIKELY, image=images.LEADER_WORKER_SET,
    # Its values name its image as image.manager.repository and image.manager.tag.
    image_in_pieces=True,
    source=Source("github.com/kubernetes/k8s.io/pull/9827; lws@060ab4d site/content/en/docs/installation",
        "2026-08-21"))
PROMETHEUS_KINDS = Chart("Prometheus Operator's kinds", "prometheus-operator-crds", "prometheus-operator-crds",
    repo="https://prometheus-community.github.io/helm-charts", version="31.0.1", certainty=_SURE, image=None,
    # The publisher tags what it has released, and others hold the archive of that release.
    source=Source("github.com/prometheus-community/helm-charts tag prometheus-operator-crds-31.0.1 (operator v0.93.1)",
        "2026-11-23"))
