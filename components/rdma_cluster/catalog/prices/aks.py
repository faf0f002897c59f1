"""What Azure's machines cost on demand.

One list: Azure's retail prices, as the generator of Karpenter's provider read their API. The sizes with GB300 are not
in it.
"""

from ..machine import Source
from . import PriceList

# fmt: off
_RETAIL = Source("github.com/Azure/karpenter-provider-azure@352646f pkg/providers/pricing/zz_generated.pricing.go",
    "2026-06-18")
_NO_SIZE = "no price: Azure's retail prices of 2026-06-18 have no size with GB300; ask Microsoft what they cost"

_MACHINES = {
    "Standard_ND96asr_v4": {27.197: "eastus westus2", 32.63: "southcentralus", 35.357: "italynorth westeurope"},
    "Standard_ND96amsr_A100_v4": {32.77: "eastus eastus2 westus2 westus3", 37.03: "centralus",
        39.324: "canadacentral canadaeast southcentralus",
        40.962: "francecentral italynorth spaincentral swedencentral uksouth westeurope", 42.601: "westus",
        42.929: "ukwest", 46.861: "norwayeast switzerlandnorth uaenorth", 46.89: "polandcentral",
        47.516: "australiaeast", 47.517: "japaneast", 47.844: "southafricanorth", 49.483: "southindia",
        50.794: "japanwest", 55.381: "germanynorth", 60.919: "switzerlandwest uaecentral", 65.54: "brazilsouth"},
    "Standard_ND96isr_H100_v5": {98.32: "eastus eastus2 westus2 westus3", 117.968: "southcentralus",
        117.984: "canadacentral northcentralus westcentralus", 120.934: "centralus", 122.9: "uksouth",
        127.816: "polandcentral spaincentral swedencentral westeurope westus", 132.732: "koreacentral",
        140.598: "switzerlandnorth uaenorth", 142.564: "japaneast", 142.6: "australiaeast", 152.396: "japanwest",
        168.672: "southafricanorth", 186.608: "southafricawest"},
    "Standard_ND96isr_H200_v5": {84.8: "eastus2 westus2 westus3", 93.28: "mexicocentral", 95.824: "centralus",
        99.216: "indonesiacentral malaysiawest", 101.76: "northcentralus northeurope",
        106.0: "francecentral japaneast koreasouth uksouth",
        110.24: "australiasoutheast germanywestcentral italynorth southeastasia spaincentral westus",
        110.272: "swedencentral", 111.088: "ukwest", 121.264: "norwayeast uaenorth", 122.96: "australiaeast",
        123.808: "southafricanorth", 130.592: "polandcentral", 131.44: "japanwest", 169.6: "brazilsouth"},
    "Standard_ND96isr_MI300X_v5": {48.0: "eastus2 westus3",
        57.6: "canadacentral northcentralus northeurope westcentralus", 59.041: "centralus",
        60.0: "francecentral koreasouth uksouth", 62.4: "germanywestcentral", 62.853: "westus",
        67.2: "australiasoutheast swedencentral", 68.64: "uaenorth", 73.92: "polandcentral", 96.0: "brazilsouth"},
    "Standard_ND128isr_NDR_GB200_v6": {108.16: "eastus eastus2 westus2 westus3", 124.4: "koreasouth",
        126.54: "indonesiacentral", 129.8: "canadaeast northcentralus", 133.037: "centralus", 135.2: "uksouth",
        140.6: "germanywestcentral italynorth spaincentral", 146.0: "koreacentral", 151.44: "australiasoutheast",
        156.84: "australiaeast", 163.32: "southindia", 201.16: "uaecentral", 216.32: "brazilsouth"},
    "Standard_HB120rs_v2": {3.6: "eastus westus2", 3.96: "mexicocentral southcentralus",
        4.32: "canadacentral northcentralus", 4.428: "centralus", 4.68: "westeurope", 4.752: "uaenorth",
        5.148: "qatarcentral", 5.22: "australiaeast japaneast", 7.2: "brazilsouth"},
    "Standard_HB120rs_v3": {3.6: "eastus westus3", 3.96: "mexicocentral southcentralus", 4.5: "uksouth",
        4.68: "italynorth westeurope", 5.04: "centralindia", 5.22: "japaneast"},
    "Standard_HB176rs_v4": {7.2: "eastus eastus2", 8.424: "malaysiawest", 8.64: "southcentralus",
        9.36: "southeastasia swedencentral westeurope", 9.72: "koreacentral", 10.44: "australiaeast"},
    "Standard_HX176rs": {8.64: "eastus eastus2", 10.368: "southcentralus",
        11.232: "southeastasia swedencentral westeurope", 11.664: "koreacentral", 12.528: "australiaeast"},
    "Standard_HB368rs_v5": {19.8: "centralus eastus", 23.76: "southcentralus", 25.742: "swedencentral"}}

LISTS = (PriceList(_RETAIL, _MACHINES),)
UNLISTED = {"Standard_ND128isr_GB300_v6": _NO_SIZE, "Standard_ND128isrG5_GB300_v6": _NO_SIZE}
