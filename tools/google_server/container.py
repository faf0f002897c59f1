"""Kubernetes Engine: clusters, and the methods of the whole API."""

from collections.abc import Mapping

from tools.google_server import node_pools
from tools.google_server.call import CREATED, Call, Handler, fingerprint, merged
from tools.google_server.fake_google import Body
from tools.google_server.given import CONTAINER, complete
from tools.google_server.inputs import against, against_change, refuse
from tools.google_server.node_pools import (
    ENGINE,
    existing,
    operation_body,
    put_pool,
    refer,
    region_of,
    set_field,
    shown,
    version_of,
)


def _get_operation(call: Call) -> Body:
    operation = call.google.operations.get(call.path.rpartition("/")[2])
    return operation_body(call, operation) if operation else existing(call, call.path)


def _create_cluster(call: Call) -> Body:
    asked: Body = dict(call.body["cluster"])
    path = f"{call.path}/{asked['name']}"
    call.google.refuse_second(path, f"Already exists: {path}.")
    refer(call, asked.get("network"), "global/networks")
    refer(call, asked.get("subnetwork"), f"regions/{region_of(call.path)}/subnetworks")
    refuse(against(call.google, path, asked))
    nodes, config = asked.pop("initialNodeCount", 0), asked.pop("nodeConfig", {})
    pools = asked.pop("nodePools", None) or [{"name": "default-pool", "initialNodeCount": nodes, "config": config}]
    call.resources[path] = _cluster(path, asked)
    for pool in pools:
        put_pool(call, path, pool)

    def finish() -> None:
        for name, body in call.resources.items():
            if name == path or name.startswith(f"{path}/nodePools/"):
                body["status"] = "RUNNING"

    return operation_body(call, call.google.begin("CREATE_CLUSTER", path, finish))


def _cluster(path: str, asked: Body) -> Body:
    cluster = {
        **asked,
        "status": "PROVISIONING",
        "selfLink": f"{ENGINE}{path}",
        "location": path.split("/")[3],
        "zone": path.split("/")[3],
        "createTime": CREATED,
        "id": fingerprint(path),
        "etag": fingerprint(asked),
        "currentMasterVersion": version_of(asked.get("initialClusterVersion", "")),
        "labelFingerprint": fingerprint(asked.get("resourceLabels")),
        "locations": asked.get("locations") or [f"{region_of(path)}-{letter}" for letter in "abc"],
    }
    cluster["initialClusterVersion"] = cluster["currentNodeVersion"] = cluster["currentMasterVersion"]
    complete(cluster, CONTAINER["Cluster"])
    policy = cluster.setdefault("ipAllocationPolicy", {})
    complete(policy, CONTAINER["IPAllocationPolicy"])
    for each in (policy, cluster):
        each.update(clusterIpv4Cidr=policy["clusterIpv4CidrBlock"], servicesIpv4Cidr=policy["servicesIpv4CidrBlock"])
    links = {"network": asked.get("network", ""), "subnetwork": asked.get("subnetwork", "")}
    cluster["networkConfig"] = {**cluster["networkConfig"], **links}
    cluster.update({key: link.rpartition("/")[2] for key, link in links.items()})
    _endpoints(cluster)
    return cluster


def _endpoints(cluster: Body) -> None:
    """What the API makes of the endpoints that were asked for."""
    endpoints = cluster.setdefault("controlPlaneEndpointsConfig", {})
    dns = endpoints.setdefault("dnsEndpointConfig", {})
    ip = endpoints.setdefault("ipEndpointsConfig", {"enabled": True})
    dns["endpoint"] = f"gke-{fingerprint(cluster['selfLink'])[:12]}.{cluster['location']}.gke.goog"
    if not ip.get("enabled"):
        # Forced while addresses are off: github.com/hashicorp/terraform-provider-google-beta 8e44798, 2026-08-19.
        endpoints["ipEndpointsConfig"] = {"enabled": False, "enablePublicEndpoint": False}
        cluster["endpoint"] = ""
        return
    ip["privateEndpoint"] = "10.0.0.2"
    cluster["endpoint"] = ip["privateEndpoint"]
    if ip.get("enablePublicEndpoint"):
        cluster["endpoint"] = ip["publicEndpoint"] = "203.0.113.2"


def _get_cluster(call: Call) -> Body:
    cluster = existing(call, call.path)
    pools = [shown(call, "NodePool", body) for body in call.google.below(f"{call.path}/nodePools")]
    return {**shown(call, "Cluster", cluster), "nodePools": pools}


def _update_cluster(call: Call) -> Body:
    """Each ``desired…`` is the field of that name, of the cluster or of its ``networkConfig``."""
    cluster, update = existing(call, call.path), call.body["update"]
    change: Body = {}
    pool = update.get("desiredNodePoolId")
    for key, value in update.items():
        if key == "desiredNodePoolAutoscaling":
            changed = f"{call.path}/nodePools/{pool}"
            call.resources[changed] = {**existing(call, changed), "autoscaling": value}
        elif key == "desiredMasterVersion":
            change["currentMasterVersion"] = version_of(value)
        elif key != "desiredNodePoolId":
            bare = key.removeprefix("desired")
            into = change.setdefault("networkConfig", {}) if key in _OF_NETWORK else change
            into[bare[:1].lower() + bare[1:]] = value
    after = merged(cluster, change)
    refuse(against_change(call.path, cluster, after))
    _endpoints(after)
    call.resources[call.path] = after
    kind = "UPGRADE_MASTER" if "currentMasterVersion" in change else "UPDATE_CLUSTER"
    return operation_body(call, call.google.begin(kind, call.path))


_OF_NETWORK = (
    "desiredDatapathProvider",
    "desiredDefaultEnablePrivateNodes",
    "desiredDnsConfig",
    "desiredEnableMultiNetworking",
    "desiredGatewayApiConfig",
)


def _delete(call: Call) -> Body:
    path, resources = call.path, call.resources
    existing(call, path)["status"] = "STOPPING"

    def finish() -> None:
        gone = [name for name in resources if name == path or name.startswith(f"{path}/")]
        gone += [name for name, body in resources.items() if body.get("of") in gone]
        for name in gone:
            resources.pop(name, None)
        if "/nodePools/" not in path:
            call.google.cluster_deleted(path)

    kind = "DELETE_NODE_POOL" if "/nodePools/" in path else "DELETE_CLUSTER"
    return operation_body(call, call.google.begin(kind, path, finish))


def _server_config(call: Call) -> Body:
    versions = [version_of(f"1.{minor}") for minor in (37, 36, 35, 34)]
    channel = {"defaultVersion": versions[1], "validVersions": versions}
    return {
        "defaultClusterVersion": versions[1],
        "validMasterVersions": versions,
        "validNodeVersions": versions,
        "channels": [{"channel": each, **channel} for each in ("RAPID", "REGULAR", "STABLE")],
    }


HANDLERS: Mapping[str, Handler] = {
    **node_pools.HANDLERS,
    "getServerConfig": _server_config,
    "operations.get": _get_operation,
    "clusters.create": _create_cluster,
    "clusters.get": _get_cluster,
    "clusters.update": _update_cluster,
    "clusters.delete": _delete,
    "clusters.setResourceLabels": set_field("resourceLabels", "SET_LABELS"),
    "clusters.setMaintenancePolicy": set_field("maintenancePolicy", "SET_MAINTENANCE_POLICY"),
    "clusters.nodePools.delete": _delete,
}
"""By the method's name below ``container.projects.locations``."""
