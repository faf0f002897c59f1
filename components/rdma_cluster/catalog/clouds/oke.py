"""OKE: its host, its names of shapes, what it repairs, and its regions of one availability domain."""

from ..hosts import HostOs
from ..machine import Source, Transport
from .record import A_PERSON, CloudFacts, Repair, WithoutRdma

# HPC island and network block of a host; there where Oracle shows the tenancy its capacity topology.
# oci-hpc-oke@61d210a docs/using-rdma-network-locality-when-running-workloads-on-oke.md
_ISLAND = (
    "curl --silent --fail --max-time 10 --noproxy '*' --header 'Authorization: Bearer Oracle' "
    "http://169.254.169.254/opc/v2/host/rdmaTopologyData | tr -d ' \"{}' | tr ',' '\\n' | "
    "awk -F : '/^customerHPCIslandId/ { i = $2 } /^customerNetworkBlock/ { b = $2 } "
    'END { if (i) print i, "in network block", b }\''
)
# fmt: off
UBUNTU_OKE = HostOs(name="ubuntu-oke", cloud="oke", driver_root="/", cloud_provider_hint="OKE",
    source=Source(
        "github.com/oracle-quickstart/oci-hpc-oke@61d210a terraform/via-provider-nvidia-dra-driver.tf; "
        "github.com/kubernetes-sigs/dranet tag v1.4.0 (the hint)",
        "2026-08-20"))
"""Oracle's Ubuntu images with NVIDIA's driver."""

OCI_ONE_DOMAIN = frozenset((
    "af-johannesburg-1", "ap-chuncheon-1", "ap-hyderabad-1", "ap-melbourne-1", "ap-mumbai-1", "ap-osaka-1",
    "ap-seoul-1", "ap-singapore-1", "ap-sydney-1", "ap-tokyo-1", "ca-montreal-1", "ca-toronto-1", "eu-amsterdam-1",
    "eu-marseille-1", "eu-milan-1", "eu-stockholm-1", "eu-zurich-1", "il-jerusalem-1", "me-abudhabi-1", "me-dubai-1",
    "me-jeddah-1", "sa-santiago-1", "sa-saopaulo-1", "sa-vinhedo-1", "uk-cardiff-1", "us-sanjose-1",
))
"""Regions with one availability domain."""
OCI_ONE_DOMAIN_SOURCE = Source("docs.oracle.com/iaas/Content/General/Concepts/regions.htm, the table's last column",
    "2022; read in a copy on 2026-11-23")

FACTS = CloudFacts(
    name="oke", place=4,
    machine_form=r"(?:BM|VM)\.(?:GPU|HPC|Optimized)\d{0,2}(?:\.[A-Z]{0,4}\d{1,4}[A-Z]?(?:-v\d)?){1,2}",
    usual_transport=Transport.ROCE,
    fabric_of_node=_ISLAND,
    hosts=(UBUNTU_OKE,),
    repair=Repair(
        switch="none of ours: a NodeRepairConfig in the cluster, whose fields Oracle's page alone shows",
        gpu="GPU host repair, where the shape is eligible in the region: drains, then reboots",
        nic="GPU host repair, where Oracle has announced maintenance of the instance for the same fault",
        node=A_PERSON,
        reserved="a user's own request terminates the instance; a rebooted one stays",
        source=Source(
            "docs.oracle.com/en-us/iaas/Content/ContEng/Tasks/contengautorepairgpuworkernodes.htm", "2026-11-23")),
    without_rdma=(WithoutRdma(
        ("VM.GPU.A10.1", "VM.GPU.A10.2", "BM.GPU.A10.4", "VM.GPU2.1", "BM.GPU2.2", "VM.GPU3.1", "VM.GPU3.2",
         "VM.GPU3.4", "BM.GPU3.8"),
        "no RDMA network",
        Source("docs.oracle.com/iaas/Content/Compute/References/computeshapes.htm, no RDMA bandwidth; the names: "
            "skypilot-org/skypilot-catalog@0588751 catalogs/v8/oci/vms.csv", "2026-11-23")),),
)
# fmt: on
