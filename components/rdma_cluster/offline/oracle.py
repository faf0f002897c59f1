"""What Oracle would answer to the functions that our components for OKE call."""

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from ..unknowns import output_of


def _domains(args: Mapping[str, Any]) -> Mapping[str, Any]:
    names = [f"Abcd:REGION-1-AD-{number}" for number in (1, 2, 3)]
    return {"availabilityDomains": [{"name": name, "id": output_of("id", name)} for name in names]}


def _home_region(args: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"regionSubscriptions": [{"regionName": "home-region-1", "isHomeRegion": True}]}


def _services(args: Mapping[str, Any]) -> Mapping[str, Any]:
    name = "All REG Services In Oracle Services Network"
    return {
        "services": [{"id": output_of("id", name), "name": name, "cidrBlock": "all-reg-services-in-oracle-network"}]
    }


def _kubeconfig(args: Mapping[str, Any]) -> Mapping[str, Any]:
    label = f"[certificate of {args['clusterId']}]"
    cluster = {"certificate-authority-data": b64encode(label.encode()).decode()}
    return {"content": json.dumps({"clusters": [{"name": "cluster", "cluster": cluster}]})}


def _node_images(args: Mapping[str, Any]) -> Mapping[str, Any]:
    version = str(args["nodePoolK8sVersion"]).removeprefix("v")
    name = f"Oracle-Linux-8.10-2026.06.30-0-OKE-{version}-1330"
    return {"sources": [{"sourceName": name, "imageId": output_of("id", name), "sourceType": "IMAGE"}]}


def _addons(args: Mapping[str, Any]) -> Mapping[str, Any]:
    # Every version that is asked for: whether Oracle offers it is Oracle's to say.
    versions = [{"versionNumber": number} for number in ("v25.10.1", "v25.10.0")]
    return {"addonOptions": [{"name": args.get("addonName"), "versions": versions}]}


def _cluster(args: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"endpoints": [{"privateEndpoint": "192.0.2.1:6443", "publicEndpoint": "203.0.113.1:6443"}]}


def _node_pool(args: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"nodes": [{"privateIp": f"192.0.2.{host}", "id": output_of("id", "node", host)} for host in (1, 2)]}


def _network_instances(args: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"instances": [{"id": output_of("id", "instance", host)} for host in (1, 2)]}


def _instance(args: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"privateIp": f"192.0.2.{str(args['instanceId']).strip(']')[-1]}"}


KNOWN: Mapping[str, Any] = {
    "oci:ContainerEngine/getAddonOptions:getAddonOptions": _addons,
    "oci:ContainerEngine/getCluster:getCluster": _cluster,
    "oci:ContainerEngine/getClusterKubeConfig:getClusterKubeConfig": _kubeconfig,
    "oci:ContainerEngine/getNodePoolOption:getNodePoolOption": _node_images,
    "oci:ContainerEngine/getNodePool:getNodePool": _node_pool,
    "oci:Core/getClusterNetworkInstances:getClusterNetworkInstances": _network_instances,
    "oci:Core/getInstance:getInstance": _instance,
    "oci:Core/getServices:getServices": _services,
    "oci:Identity/getAvailabilityDomains:getAvailabilityDomains": _domains,
    "oci:Identity/getRegionSubscriptions:getRegionSubscriptions": _home_region,
}
