"""What is known of the clouds' regions where that decides something; regions that are not listed are not judged."""

from .machine import Source

# fmt: off
AZURE_WITHOUT_ZONES = frozenset((
    "australiacentral", "australiacentral2", "australiasoutheast", "brazilsoutheast", "canadaeast", "francesouth",
    "germanynorth", "koreasouth", "northcentralus", "norwaywest", "southafricawest", "southindia", "switzerlandwest",
    "uaecentral", "ukwest", "westcentralus", "westindia", "westus",
))
"""Locations without availability zones; Azure adds zones to old locations now and then."""
AZURE_WITHOUT_ZONES_SOURCE = Source("github.com/MicrosoftDocs/reliability-docs@01021ab regions-list.md", "2025-09-23")

OCI_ONE_DOMAIN = frozenset((
    "af-johannesburg-1", "ap-chuncheon-1", "ap-hyderabad-1", "ap-melbourne-1", "ap-mumbai-1", "ap-osaka-1",
    "ap-seoul-1", "ap-singapore-1", "ap-sydney-1", "ap-tokyo-1", "ca-montreal-1", "ca-toronto-1", "eu-amsterdam-1",
    "eu-marseille-1", "eu-milan-1", "eu-stockholm-1", "eu-zurich-1", "il-jerusalem-1", "me-abudhabi-1", "me-dubai-1",
    "me-jeddah-1", "sa-santiago-1", "sa-saopaulo-1", "sa-vinhedo-1", "uk-cardiff-1", "us-sanjose-1",
))
"""Regions with one availability domain."""
OCI_ONE_DOMAIN_SOURCE = Source("docs.oracle.com/iaas/Content/General/Concepts/regions.htm, the table's last column",
    "2022; read in a copy on 2026-11-23")
# fmt: on
