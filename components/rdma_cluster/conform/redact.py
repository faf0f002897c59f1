"""Keeps names, addresses and ids of a cluster's owner out of a snapshot.

What is written has a form in which none of these fits: a number, a PCI address, a word of a list. A text of any other
form is left out, whoever sent it. So nothing has to be known of how a user's names look.
"""

import re
from collections.abc import Mapping
from typing import Any

from rdma_agent import names
from ..catalog import charts, machines
from ..catalog.artifact import Chart, records_of
from ..catalog.clouds import CLOUD_FACTS
from ..fabrics import FABRICS, NIC_DRIVERS, NIC_PLUGINS, HostPlugin

PCI = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]"
_ON_BUS = r"(?:P\d{1,5})?(?:p\d{1,3})?s\d{1,3}(?:f\d{1,2})?(?:n?p?\d{1,2})?(?:d\d)?(?:v\d{1,3})?"
INTERFACE = rf"eth\d{{1,3}}|en{_ON_BUS}|eno\d{{1,3}}|ib{_ON_BUS}|ib\d{{1,3}}|(?:gpu\d{{1,2}})?rdma\d{{1,2}}"
"""No name that udev makes of a MAC address (``enx...``), and none that a person chooses."""
RDMA = rf"mlx[45]_(?:ib|an|fe)?\d{{1,3}}|(?:bnxt_re|irdma|efa_|efa|ionic_)\d{{1,3}}|(?:roce|rdma|ib){_ON_BUS}"
_NUMBERS = r"\d{1,6}(?:\.\d{1,9}){1,2}(?![.\d])"
"""A version; no IPv4 address is one."""
_WORDS = r"NVIDIA|AMD|Tesla|Instinct|Quadro|GeForce|RTX|PRO|Blackwell|Server|Edition|Graphics|Device|OAM|NVL\d{0,3}|VF"
_MODEL = (
    rf"(?:{_WORDS}|[A-Z]{{1,3}}\d{{1,4}}[A-Z]?(?:-SXM\d?|-PCIE|-NVL)?(?:-?\d{{1,3}}GB)?|\d{{1,3}}GB|\d{{4}}|HBM\d?e?"
    r"|PCIe|SXM\d?|AC)"
)
_DAEMONS = {"nvidia-driver-installer"}
TAINTS = (
    names.GPU, "amd.com/gpu", "kubernetes.io/arch", names.FABRIC_LABEL, "rdma-cluster/readiness",
    "cloud.google.com/gke-spot", "cloud.google.com/gke-queued", "kubernetes.azure.com/scalesetpriority",
)  # fmt: skip
"""Keys of taints that clouds and this library set; those of Kubernetes itself begin with ``node.``."""
LABELS = (
    "gke-no-default-nvidia-gpu-device-plugin", "nvidia.com/gpu.present", "cloud.google.com/gke-nvidia-gpu-dra-driver",
    "cloud.google.com/gke-networking-dra-driver", "vpc.amazonaws.com/efa.present",
    "oci.oraclecloud.com/disable-gpu-device-plugin",
)  # fmt: skip
PARAMETERS = ("iommu", "intel_iommu", "amd_iommu", "pci", "numa_balancing", "nr_hugepages", "memlock")
_RESOURCES = ("hugepages-1Gi", "hugepages-2Mi", names.GPU)
_SYSTEMS = (
    r"(?:Ubuntu|Amazon Linux|Oracle Linux Server|Azure Linux|Debian GNU/Linux|Red Hat Enterprise Linux)"
    r"(?: \d{1,4}(?:\.\d{1,2})?(?![.\d]))?|Container-Optimized OS from Google"
)
FORMS: Mapping[str, str] = {
    "form": r"rdma-cluster/snapshot/\d{1,3}",
    "made_by": _NUMBERS,
    "kubernetes": rf"v?{_NUMBERS}(?:-gke\.\d{{1,9}}|-eks)?",
    "machine": "|".join(facts.machine_form for facts in CLOUD_FACTS.values()),
    "architecture": "amd64|arm64",
    "kubelet": rf"v?{_NUMBERS}(?:-gke\.\d{{1,9}}|-eks)?",
    "kernel": _NUMBERS,
    "os": _SYSTEMS,
    "runtime": rf"(?:containerd|cri-o)://{_NUMBERS}",
    "effect": "NoSchedule|NoExecute|PreferNoSchedule",
    "pci": PCI,
    "root": r"pci[0-9a-f]{4,8}:[0-9a-f]{2}",
    "model": rf"{_MODEL}(?: {_MODEL}){{0,6}}",
    "id": r"[0-9a-f]{4}:[0-9a-f]{4}",
    "interface": INTERFACE,
    "rdma": RDMA,
    "firmware": _NUMBERS,
    "driver": _NUMBERS,
    "version": rf"v?{_NUMBERS}",
}
"""The form of a text by its key in a snapshot: of what begins so, the part that fits is kept."""
_CONNECTX = (
    r"(?:MT\d{4,5} Family )?\[?ConnectX(?:-\d)?(?: (?:Ex|Lx|Dx|Family|Virtual Function)){0,3}\]?(?: Virtual Function)?"
)
_PCI_NAMES = "|".join(re.escape(name) for fabric in FABRICS.values() for name in fabric.pci_names)
ATTRIBUTES: Mapping[str, str] = {
    "resource.kubernetes.io/pcieRoot": FORMS["root"],
    "resource.kubernetes.io/pciBusID": PCI,
    f"{names.GPU_DRIVER}/pcieBusID": PCI,
    f"{names.GPU_DRIVER}/type": "gpu|mig|vfio",
    f"{names.GPU_DRIVER}/productName": FORMS["model"],
    f"{names.GPU_DRIVER}/architecture": "Turing|Ampere|Ada Lovelace|Hopper|Blackwell|Rubin",
    f"{names.GPU_DRIVER}/brand": "Nvidia|Tesla|GeForce",
    "dra.net/ifName": INTERFACE,
    "dra.net/rdmaDevice": RDMA,
    "dra.net/rdmaDevName": RDMA,
    "dra.net/pciAddress": PCI,
    "dra.net/pciVendor": _PCI_NAMES,
    "dra.net/pciDevice": rf"{_PCI_NAMES}|{_CONNECTX}",
    "dra.net/state": "up|down|unknown|dormant|lowerlayerdown",
    "dra.net/encapsulation": "ether|infiniband|loopback",
    "dra.net/type": "device|dummy|veth|vlan|bridge|bond",
}
"""The form of an attribute that is a text; of those with a driver of their own name the part behind it counts."""
OTHERS = ("numaNode", "rdma", "mtu", "virtual", "sriov", "sriovVfs", "ebpf", "index", "minor", "driverVersion")
OTHERS = (*OTHERS, "cudaDriverVersion", "cudaComputeCapability")
"""Attributes that are numbers, flags or versions."""


def kept(form: str, text: Any) -> str | None:
    """A text that has a form as a whole; ``None`` for any other."""
    return text if isinstance(text, str) and re.fullmatch(form, text, re.ASCII) else None


def begun(form: str, text: Any) -> str | None:
    """The beginning of a text that has a form: the numbers of a kernel, whatever was built into its name."""
    found = re.match(form, text, re.ASCII) if isinstance(text, str) else None
    return found[0] if found else None


def daemon_names() -> frozenset[str]:
    """The names of every DaemonSet and chart that a plan can have."""
    names = {each.name for each in records_of(charts, Chart)}
    for fabric in FABRICS.values():
        names |= {each.name for each in fabric.plugin.beside}
        if isinstance(fabric.plugin, HostPlugin):
            names.add(f"nccl-installer-{fabric.plugin.name}")
    return frozenset(names | _DAEMONS)


def resource_names() -> frozenset[str]:
    """Resources of a node that some plan asks for."""
    return frozenset((*_RESOURCES, *(plugin.resource for plugin in NIC_PLUGINS.values())))


def class_names() -> frozenset[str]:
    """DeviceClasses of a plan."""
    return frozenset((names.GPU_DRIVER, *(driver.device_class for driver in NIC_DRIVERS.values())))


def driver_names() -> frozenset[str]:
    """Drivers whose ResourceSlices are read."""
    return frozenset((names.GPU_DRIVER, *(driver.slice_driver for driver in NIC_DRIVERS.values())))


def template_form() -> str:
    """Names of claim templates: a machine's and a shape's, as ``claims`` writes them."""
    names = "|".join(re.escape(each.name.lower().replace("_", "-")) for each in machines())
    shape = r"(?:pairs|groups|gpus|numa|whole|nics)(?:-\d{1,3}|x\d{1,3}|-rails?|-groups?|-part|-gpus|-nics|-numa)*"
    return rf"(?:{names})-{shape}"
