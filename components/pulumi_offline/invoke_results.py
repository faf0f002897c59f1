"""What clouds would answer to the functions that our own components call; a run's `invokes` go before these."""

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from .computed import kubeconfig
from .unknowns import host, output_of

Args = Mapping[str, Any]


def _aks_credentials(args: Args) -> Mapping[str, Any]:
    """A kubeconfig of AKS, which is where the API's certificate is."""
    name = str(args["resourceName"])
    text = kubeconfig(host(name, "azmk8s"), output_of("certificate", name))
    return {"kubeconfigs": [{"name": "clusterUser", "value": b64encode(text.encode()).decode()}]}


def _aks_cluster(args: Args) -> Mapping[str, Any]:
    return {"resourceUID": output_of("resourceUID", args["resourceName"])}


def _eks_cluster(args: Args) -> Mapping[str, Any]:
    return {"identities": [{"oidcs": [{"issuer": f"https://{host(str(args['name']), 'oidc')}/id"}]}]}


def _gke_cluster(args: Args) -> Mapping[str, Any]:
    endpoint = {"endpoint": host(str(args["name"]), "gke")}
    return {"controlPlaneEndpointsConfigs": [{"dnsEndpointConfigs": [endpoint]}]}


def _oke_kubeconfig(args: Args) -> Mapping[str, Any]:
    label = f"[certificate of {args['clusterId']}]"
    cluster = {"certificate-authority-data": b64encode(label.encode()).decode()}
    return {"content": json.dumps({"clusters": [{"name": "cluster", "cluster": cluster}]})}


def _oke_images(args: Args) -> Mapping[str, Any]:
    name = f"Oracle-Linux-8.10-2026.06.30-0-OKE-{str(args['nodePoolK8sVersion']).removeprefix('v')}-1330"
    return {"sources": [{"sourceName": name, "imageId": output_of("id", name), "sourceType": "IMAGE"}]}


def _oke_addons(args: Args) -> Mapping[str, Any]:
    # Every version that is asked for: whether Oracle offers it is Oracle's to say.
    versions = [{"versionNumber": number} for number in ("v25.10.1", "v25.10.0")]
    return {"addonOptions": [{"name": args.get("addonName"), "versions": versions}]}


_DOMAINS = [f"Abcd:REGION-1-AD-{number}" for number in (1, 2, 3)]
_SERVICES = "All REG Services In Oracle Services Network"
_NO_PROJECT: Mapping[str, Any] = {}
"""There is no project here to have anything."""

KNOWN: Mapping[str, Any] = {
    "aws:eks/getCluster:getCluster": _eks_cluster,
    "azure-native:containerservice:getManagedCluster": _aks_cluster,
    "azure-native:containerservice:listManagedClusterUserCredentials": _aks_credentials,
    # No subscription is here to have a state.
    "azure-native:features:getSubscriptionFeatureRegistration": {"properties": {}},
    "gcp:container/getCluster:getCluster": _gke_cluster,
    "gcp:compute/getMachineTypes:getMachineTypes": _NO_PROJECT,
    "gcp:compute/getReservation:getReservation": _NO_PROJECT,
    "gcp:compute/getReservationBlock:getReservationBlock": _NO_PROJECT,
    "gcp:compute/getReservationSubBlock:getReservationSubBlock": _NO_PROJECT,
    "gcp:cloudquota/getSQuotaInfo:getSQuotaInfo": _NO_PROJECT,
    # No machine is here to have proved anything.
    "gcp:compute/getInstanceGuestAttributes:getInstanceGuestAttributes": {"queryValues": []},
    # Only Google knows the number.
    "gcp:organizations/getProject:getProject": lambda args: {**args, "number": output_of("number", args["projectId"])},
    "oci:ContainerEngine/getAddonOptions:getAddonOptions": _oke_addons,
    "oci:ContainerEngine/getCluster:getCluster": {
        "endpoints": [{"privateEndpoint": "192.0.2.1:6443", "publicEndpoint": "203.0.113.1:6443"}]
    },
    "oci:ContainerEngine/getClusterKubeConfig:getClusterKubeConfig": _oke_kubeconfig,
    "oci:ContainerEngine/getNodePoolOption:getNodePoolOption": _oke_images,
    "oci:ContainerEngine/getNodePool:getNodePool": {
        "nodes": [{"privateIp": f"192.0.2.{node}", "id": output_of("id", "node", node)} for node in (1, 2)]
    },
    "oci:Core/getClusterNetworkInstances:getClusterNetworkInstances": {
        "instances": [{"id": output_of("id", "instance", node)} for node in (1, 2)]
    },
    "oci:Core/getInstance:getInstance": lambda args: {"privateIp": f"192.0.2.{str(args['instanceId']).strip(']')[-1]}"},
    "oci:Core/getServices:getServices": {
        "services": [
            {"id": output_of("id", _SERVICES), "name": _SERVICES, "cidrBlock": "all-reg-services-in-oracle-network"}
        ]
    },
    "oci:Identity/getAvailabilityDomains:getAvailabilityDomains": {
        "availabilityDomains": [{"name": name, "id": output_of("id", name)} for name in _DOMAINS]
    },
    "oci:Identity/getRegionSubscriptions:getRegionSubscriptions": {
        "regionSubscriptions": [{"regionName": "home-region-1", "isHomeRegion": True}]
    },
    # Nothing is recorded yet.
    "pulumi:index:Stash": lambda inputs: {"output": inputs["input"]},
}
"""An answer by function, or what makes one from the arguments."""
