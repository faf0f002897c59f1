"""What Google's APIs set in what they make where a request leaves it out, each with where that is known from."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

GUESS = "guess"
"""Nobody publishes it; it is what makes the provider see no difference where a user of it sees none."""


@dataclass(frozen=True)
class Given:
    """One field."""

    path: str
    """From the resource: ``routingConfig.routingMode``."""
    value: Any | Callable[[Mapping[str, Any]], Any]
    """Or how it follows from the resource."""
    source: str
    """``SCHEMA.FIELD: words`` of the discovery document that a test looks up, an address, or ``GUESS``."""


# fmt: off
COMPUTE: Mapping[str, tuple[Given, ...]] = {
    "Network": (
        Given("networkFirewallPolicyEnforcementOrder", "AFTER_CLASSIC_FIREWALL",
            "Network.networkFirewallPolicyEnforcementOrder: Defaults to AFTER_CLASSIC_FIREWALL"),
        Given("mtu", 1460, "Network.mtu: If unspecified, the value defaults to 1460"),
    ),
    "Subnetwork": (
        Given("stackType", "IPV4_ONLY", "Subnetwork.stackType: If not specified, IPV4_ONLY is used"),
        Given("allowSubnetCidrRoutesOverlap", False,
            "Subnetwork.allowSubnetCidrRoutesOverlap: The default value is false"),
        Given("enableFlowLogs", False, "Subnetwork.enableFlowLogs: it will default to disabled"),
    ),
    "Firewall": (
        Given("direction", "INGRESS", "Firewall.direction: The default is `INGRESS`"),
        Given("disabled", False, "Firewall.disabled: If this is unspecified, the firewall rule will be enabled"),
    ),
    "RouterNat": (
        Given("type", "PUBLIC", "RouterNat.type: If unspecified, it defaults to PUBLIC"),
        Given("endpointTypes", ["ENDPOINT_TYPE_VM"],
            "RouterNat.endpointTypes: If the list is empty, then it will be equivalent to include ENDPOINT_TYPE_VM"),
        Given("icmpIdleTimeoutSec", 30, "RouterNat.icmpIdleTimeoutSec: Defaults to 30s if not set"),
        Given("tcpEstablishedIdleTimeoutSec", 1200,
            "RouterNat.tcpEstablishedIdleTimeoutSec: Defaults to 1200s if not set"),
        Given("tcpTimeWaitTimeoutSec", 120, "RouterNat.tcpTimeWaitTimeoutSec: Defaults to 120s if not set"),
        Given("tcpTransitoryIdleTimeoutSec", 30, "RouterNat.tcpTransitoryIdleTimeoutSec: Defaults to 30s if not set"),
        Given("udpIdleTimeoutSec", 30, "RouterNat.udpIdleTimeoutSec: Defaults to 30s if not set"),
    ),
    "Address": (
        Given("status", "RESERVED", "Address.status: A RESERVED address is currently reserved and available to use"),
        Given("networkTier", "PREMIUM", "Address.networkTier: it is assumed to be PREMIUM"),
    ),
    "Instance": (
        Given("status", "RUNNING", GUESS),
        Given("cpuPlatform", "Unknown CPU Platform", GUESS),
        Given("canIpForward", False, GUESS),
        Given("deletionProtection", False, GUESS),
        Given("startRestricted", False, GUESS),
        Given("scheduling.onHostMaintenance", "TERMINATE", GUESS),
        Given("scheduling.automaticRestart", True, "Scheduling.automaticRestart: By default, this is set to true"),
        Given("scheduling.preemptible", False, GUESS),
        Given("scheduling.provisioningModel", "STANDARD", GUESS),
        Given("shieldedInstanceConfig.enableSecureBoot", False,
            "ShieldedInstanceConfig.enableSecureBoot: Disabled by default"),
        Given("shieldedInstanceConfig.enableVtpm", True, "ShieldedInstanceConfig.enableVtpm: Enabled by default"),
        Given("shieldedInstanceConfig.enableIntegrityMonitoring", True,
            "ShieldedInstanceConfig.enableIntegrityMonitoring: Enabled by default"),
        Given("reservationAffinity.consumeReservationType", "ANY_RESERVATION",
            "ReservationAffinity.consumeReservationType: ANY_RESERVATION (default)"),
    ),
}
"""By the schema of compute.beta."""

CONTAINER: Mapping[str, tuple[Given, ...]] = {
    "Cluster": (
        Given("legacyAbac", {}, GUESS),
        Given("loggingService", "logging.googleapis.com/kubernetes",
            "Cluster.loggingService: If left as an empty string,`logging.googleapis.com/kubernetes` will be used"),
        Given("monitoringService", "monitoring.googleapis.com/kubernetes",
            "Cluster.monitoringService: `monitoring.googleapis.com/kubernetes` will be used"),
        Given("networkConfig.datapathProvider", "LEGACY_DATAPATH",
            "NetworkConfig.datapathProvider: By default, uses the IPTables-based kube-proxy implementation"),
    ),
    "IPAllocationPolicy": (
        Given("stackType", "IPV4", GUESS),
        Given("clusterIpv4CidrBlock", "10.4.0.0/14", GUESS),
        Given("servicesIpv4CidrBlock", "10.0.32.0/20", GUESS),
    ),
    "NodePool": (
        Given("upgradeSettings.strategy", "SURGE", GUESS),
        Given("upgradeSettings.maxSurge", 1, GUESS),
    ),
    "NodeConfig": (
        Given("machineType", "e2-medium", "NodeConfig.machineType: the default machine type is `e2-medium`"),
        Given("diskSizeGb", 100, "NodeConfig.diskSizeGb: If unspecified, the default disk size is 100GB"),
        Given("diskType", "pd-standard", "NodeConfig.diskType: If unspecified, the default disk type is 'pd-standard'"),
        Given("serviceAccount", "default", 'NodeConfig.serviceAccount: the "default" service account is used'),
        Given("metadata", {"disable-legacy-endpoints": "true"},
            "https://docs.cloud.google.com/kubernetes-engine/docs/how-to/protecting-cluster-metadata"),
        Given("shieldedInstanceConfig.enableIntegrityMonitoring", True, GUESS),
        Given("bootDisk.sizeGb", lambda config: str(config["diskSizeGb"]), GUESS),
        Given("bootDisk.diskType", lambda config: config["diskType"], GUESS),
    ),
}
"""By the schema of container.v1beta1."""
# fmt: on


def complete(body: dict[str, Any], given: tuple[Given, ...]) -> None:
    """Fill a resource with what the API sets."""
    for each in given:
        *way, last = each.path.split(".")
        into = body
        for step in way:
            into = into.setdefault(step, {})
        if last not in into:
            into[last] = each.value(body) if callable(each.value) else copy(each.value)
