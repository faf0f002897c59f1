"""Which minors of Kubernetes each release that a stack installs serves, and until when clouds and publishers support
what they have out."""

from collections.abc import Mapping

from pulumi_offline.frozen import frozen
from . import charts
from .machine import Source


@frozen
class Support:
    """What the publisher of a part says of one of its releases."""

    release: str
    """What the version begins with, without a ``v``."""
    oldest: str
    """The oldest minor of Kubernetes that it is published to serve; empty where its publisher names none."""
    newest: str
    """The newest; empty where its publisher names no end."""
    source: Source
    deprecated: str = ""
    """A day on which its publisher gave it critical fixes alone; ISO 8601."""
    ended: str = ""
    """A day on which its publisher had ended its support."""
    status: Source | None = None
    """Who says so."""

    def serves(self, minor: str) -> bool:
        """Whether a minor, ``1.36``, lies within what is published."""
        return _number(self.oldest or minor) <= _number(minor) <= _number(self.newest or minor)

    @property
    def range(self) -> str:
        """``1.32 to 1.36``, ``1.34 or later``."""
        return f"{self.oldest} to {self.newest}" if self.newest else f"{self.oldest} or later"


@frozen
class Minor:
    """Until when a cloud supports a minor of Kubernetes, ISO 8601; empty where it has named no day."""

    ends: str
    paid: str = ""
    """The end of the support that costs more."""


@frozen
class CloudSupport:
    """Kubernetes as a cloud supports it."""

    service: str
    then: str
    """What becomes of a cluster afterwards; ``{}`` is the end of the support that costs more."""
    minors: Mapping[str, Minor]
    source: Source


def _number(minor: str) -> int:
    return int(minor.partition(".")[2])


LOOKED = "2026-11-28"
"""When these lists were read."""
SOON = "2027-02-28"
"""A plan tells of a support that ends before this day: until then the lists are read again."""

# fmt: off
_NVIDIA, _NETWORK_DOCS = "github.com/NVIDIA/cloud-native-docs", "github.com/Mellanox/network-operator-docs"
# It writes 26.6 for 26.7.
_GPU_STATUS = Source(f"{_NVIDIA}@caeeb60 gpu-operator/life-cycle-policy.rst", "2026-08-22")
_NETWORK_PAGE = Source("docs.nvidia.com/networking/display/kubernetes2670/platform-support.html", LOOKED)

SUPPORT: Mapping[str, Support] = {
    # 26.7 serves 1.32 to 1.37 (cloud-native-docs#488, 2026-09-04).
    charts.GPU_OPERATOR.name: Support("26.3.", "1.32", "1.36",
        Source(f"{_NVIDIA}@9e88c6ce gpu-operator/platform-support.rst, Ubuntu 24.04 LTS", "2026-08-12"),
        deprecated="2026-08-22", status=_GPU_STATUS),
    # Nobody's run beside GPU Operator 26.3.3 is on record. NVIDIA/aicr runs 26.4.1 beside it (v0.19 and v0.20), and
    # beside 26.7 from v0.21 on (docs/user/component-version-matrix.md@b6ce87b); but 26.4 serves 1.31 to 1.35, and the
    # default of AKS is 1.36. The documents of 26.4 ask for GPU Operator 25.3 or later; what those of 26.7 ask for was
    # not to be had.
    charts.NETWORK_OPERATOR.name: Support("26.7.", "1.32", "1.36", _NETWORK_PAGE),
    charts.NVIDIA_DRA_DRIVER.name: Support("0.5.", "1.34", "",
        Source("github.com/kubernetes-sigs/dra-driver-nvidia-gpu@9593204 site/content/docs/prerequisites.md (1.34.2)",
            "2026-08-07")),
    charts.AWS_DRANET.name: Support("1.0.", "1.34", "",
        Source("docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html", "2026-08-21")),
    charts.NVIDIA_DEVICE_PLUGIN.name: Support("0.19.", "1.10", "",
        Source("github.com/NVIDIA/k8s-device-plugin tag v0.19.3 README.md, Prerequisites", "2026-08-20")),
    charts.KUEUE.name: Support("0.19.", "1.29", "",
        Source("github.com/kubernetes-sigs/kueue tag v0.19.2 README.md, Installation", "2026-08-20")),
    # "The last three minors", on the day of the release.
    charts.JOBSET.name: Support("0.12.", "1.34", "1.36",
        Source("github.com/kubernetes-sigs/jobset tag v0.12.0 README.md, Installation", "2026-05-08")),
    charts.LEADER_WORKER_SET.name: Support("0.10.", "1.26", "",
        Source("github.com/kubernetes-sigs/lws@060ab4d site/content/en/docs/installation, Before you begin",
            "2026-08-21")),
    charts.PROMETHEUS_KINDS.name: Support("31.", "", "",
        Source("kinds alone; what its operator asks for is no matter of a cluster without it", LOOKED)),
    charts.DRANET.name: Support("1.4.", "", "",
        Source("github.com/kubernetes-sigs/dranet tag v1.4.0 README.md, quick-start.md name no range", LOOKED)),
    charts.EFA_DEVICE_PLUGIN.name: Support("0.5.", "", "",
        Source("github.com/aws/eks-charts@6df10a6 stable/aws-efa-k8s-device-plugin names no range", LOOKED)),
    charts.AZURE_LUSTRE.name: Support("0.6.", "", "",
        Source("github.com/kubernetes-sigs/azurelustre-csi-driver README.md has a table of 0.1.5 alone", LOOKED)),
    # OKE's add-ons.
    "NvidiaGpuOperator": Support("25.10.", "1.30", "1.35",
        Source(f"{_NVIDIA}@3bc0befe gpu-operator/platform-support.rst, Ubuntu 24.04 LTS", "2026-02-25"),
        ended="2026-08-22", status=_GPU_STATUS),
    "NvidiaNetworkOperator": Support("25.10.", "1.30", "1.34",
        Source(f"{_NETWORK_DOCS} tag v25.10.0 docs/platform-support.rst", "2025-12-14"),
        ended=LOOKED, status=_NETWORK_PAGE),
    # Not installed here: policies for clusters below 1.36 are written for it. 1.19 ended its support.
    "github.com/kyverno/kyverno": Support("1.18.", "1.33", "1.35",
        Source("github.com/kyverno/website@5fc57fb src/content/docs/docs/installation/releases.md", "2026-08-08"),
        ended="2026-08-20", status=Source("the same page: until the release of 1.19, which is of this day", LOOKED))}
"""By the chart's name, the add-on's, or the Go module's."""

_END_OF_LIFE = "github.com/endoflife-date/endoflife.date@48298df products/{}.md, which reads the cloud's own page"
CLOUDS: Mapping[str, CloudSupport] = {
    # The months of its calendar, whose last day is meant.
    "aks": CloudSupport("AKS", "after that AKS upgrades the cluster by itself, but on the tier Premium, which has it "
        "until {}",
        {"1.34": Minor("2026-11-30", "2027-11-30"), "1.35": Minor("2027-03-31", "2028-03-31"),
            "1.36": Minor("2027-06-30", "2028-06-30"), "1.37": Minor("2027-10-31", "2028-10-31")},
        Source("github.com/MicrosoftDocs/azure-aks-docs@8180ba0 articles/aks/supported-kubernetes-versions.md",
            "2026-08-22")),
    "eks": CloudSupport("EKS", "after that each hour of the cluster costs more, and after {} EKS upgrades it by itself",
        {"1.31": Minor("2025-11-26", "2026-11-26"), "1.32": Minor("2026-03-23", "2027-03-23"),
            "1.33": Minor("2026-07-29", "2027-07-29"), "1.34": Minor("2026-12-02", "2027-12-02"),
            "1.35": Minor("2027-03-27", "2028-03-27"), "1.36": Minor("2027-08-02", "2028-08-02")},
        Source("github.com/awsdocs/amazon-eks-user-guide@0138560 latest/ug/versioning/kubernetes-versions.adoc, to "
            "1.34; " + _END_OF_LIFE.format("amazon-eks"), "2026-07-08")),
    # Its schedule calls them estimates. Another ten months or so are in the channel Extended: no day is published.
    "gke": CloudSupport("GKE", "the day is its estimate; after that EXTENDED alone has it, for a price, and others are "
        "upgraded",
        {"1.30": Minor("2025-09-30"), "1.31": Minor("2026-01-16"), "1.32": Minor("2026-04-11"),
            "1.33": Minor("2026-08-03"), "1.34": Minor("2026-10-01"), "1.35": Minor("2027-04-11"),
            "1.36": Minor("2027-08-09")},
        Source(_END_OF_LIFE.format("google-kubernetes-engine"), "2026-08-21")),
    # Thirty days after OKE has the third minor behind it: no calendar day was found, nor when OKE had 1.37.
    "oke": CloudSupport("OKE", "", {},
        Source("docs.oracle.com/iaas/Content/ContEng/Concepts/contengaboutk8sversions.htm", LOOKED))}
# fmt: on
