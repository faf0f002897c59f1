"""AKS: its hosts, its names of machines, what it repairs, and its locations without zones."""

from dataclasses import replace

from ..hosts import HostOs
from ..machine import Source, Transport
from .record import A_PERSON, CloudFacts, Repair, WithoutRdma

# Which placement group a node is in: nodes of two groups do not reach each other, and nothing else shows the group.
# api-version: github.com/kubernetes-sigs/dranet@f258477 pkg/cloudprovider/azure/azure.go
_PLACEMENT_GROUP = (
    "curl --silent --fail --max-time 10 --noproxy '*' --header Metadata:true "
    "'http://169.254.169.254/metadata/instance/compute/placementGroupId?api-version=2025-11-11&format=text'"
)
# fmt: off
_AKS_NODES = Source(
    "github.com/Azure/AgentBaker@06836ee (AKS's Ubuntu images); github.com/NVIDIA/gpu-operator tag v26.3.3",
    "2026-08-21")
UBUNTU_AKS = HostOs(name="ubuntu-aks", cloud="aks", driver_root="/", cloud_provider_hint="AZURE", source=_AKS_NODES)
"""AKS's Ubuntu with the driver that AKS installs."""
UBUNTU_OPERATOR = replace(UBUNTU_AKS, name="ubuntu-operator", driver_root="/run/nvidia/driver")
"""AKS's Ubuntu without a driver: the GPU Operator's container holds it."""

AZURE_WITHOUT_ZONES = frozenset((
    "australiacentral", "australiacentral2", "australiasoutheast", "brazilsoutheast", "canadaeast", "francesouth",
    "germanynorth", "koreasouth", "northcentralus", "norwaywest", "southafricawest", "southindia", "switzerlandwest",
    "uaecentral", "ukwest", "westcentralus", "westindia", "westus",
))
"""Locations without availability zones; Azure adds zones to old locations now and then."""
AZURE_WITHOUT_ZONES_SOURCE = Source("github.com/MicrosoftDocs/reliability-docs@01021ab regions-list.md", "2025-09-23")

FACTS = CloudFacts(
    name="aks", place=3,
    machine_form=r"Standard_[A-Z]{1,2}\d{1,3}[a-z]{0,5}(?:_[A-Z]{1,4}\d{1,4}X?)?(?:_v\d{1,2})?",
    usual_transport=Transport.INFINIBAND,
    fabric_of_node=_PLACEMENT_GROUP,
    hosts=(UBUNTU_AKS, UBUNTU_OPERATOR),
    repair=Repair(
        switch="none: AKS repairs what is not Ready, and its problem detector only tells",
        gpu=A_PERSON, nic=A_PERSON, node=A_PERSON,
        reserved="nothing by itself",
        source=Source("MicrosoftDocs/azure-aks-docs@35ef8f3 articles/aks/gpu-health-monitoring.md", "2025-08-15")),
    without_rdma=(WithoutRdma(
        ("Standard_ND96is_H100_v5", "Standard_ND96is_H200_v5", "Standard_ND96is_MI300X_v5",
         "Standard_ND96is_flex_H100_v5", "Standard_ND96is_noIB_H100_v5", "Standard_NC24ads_A100_v4",
         "Standard_NC48ads_A100_v4", "Standard_NC96ads_A100_v4", "Standard_NC40ads_H100_v5",
         "Standard_NC80adis_H100_v5"),
        "no InfiniBand: no r among the features in its name",
        Source("learn.microsoft.com/azure/virtual-machines/vm-naming-conventions; the names: "
            "github.com/Azure/karpenter-provider-azure@352646f5 zz_generated.pricing.go", "2026-08-21")),),
)
# fmt: on
