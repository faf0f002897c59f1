"""What a cloud would answer to the functions that our own components call; a run's `invokes` go before these."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from ..unknowns import host, output_of
from . import computed, oracle


def _aks_credentials(args: Mapping[str, Any]) -> Mapping[str, Any]:
    """A kubeconfig of AKS, which is where the API's certificate is."""
    name = str(args["resourceName"])
    text = computed.kubeconfig(host(name, "azmk8s"), output_of("certificate", name))
    return {"kubeconfigs": [{"name": "clusterUser", "value": b64encode(text.encode()).decode()}]}


def _gcp_project(args: Mapping[str, Any]) -> Mapping[str, Any]:
    """A project, of which only Google knows the number."""
    return {**args, "number": output_of("number", args["projectId"])}


_NOBODY_ASKED: Mapping[str, Any] = {}
"""There is no project here to have anything."""

KNOWN: Mapping[str, Any] = {
    "azure-native:containerservice:listManagedClusterUserCredentials": _aks_credentials,
    # No subscription is here to have a state.
    "azure-native:features:getSubscriptionFeatureRegistration": {"properties": {}},
    **dict.fromkeys(
        (
            "gcp:compute/getMachineTypes:getMachineTypes",
            "gcp:compute/getReservation:getReservation",
            "gcp:compute/getReservationBlock:getReservationBlock",
            "gcp:compute/getReservationSubBlock:getReservationSubBlock",
            "gcp:cloudquota/getSQuotaInfo:getSQuotaInfo",
        ),
        _NOBODY_ASKED,
    ),
    # No machine is here to have proved anything.
    "gcp:compute/getInstanceGuestAttributes:getInstanceGuestAttributes": {"queryValues": []},
    "gcp:organizations/getProject:getProject": _gcp_project,
    **oracle.KNOWN,
}
