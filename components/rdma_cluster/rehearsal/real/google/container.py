"""Kubernetes Engine: clusters, and the methods of the whole API."""

from collections.abc import Callable, Mapping
from typing import Any

from . import node_pools
from .call import CREATED, Call, fingerprint, merged
from .given import CONTAINER, complete
from .inputs import against, against_change
from .kubernetes_engine import ENGINE, operation_body, refer, refuse, region_of, shown, there, version_of
from .node_pools import put_pool
from .world import ApiError, Body


def answer(call: Call) -> Body:
    """What the API answers. Raises ``ApiError``."""
    name = call.method.id.removeprefix("container.projects.locations.")
    if (handle := _HANDLERS.get(name)) is None:
        raise ApiError(501, "notImplemented", f"{call.method.id} has no answer here")
    return handle(call)


def _get_operation(call: Call) -> Body:
    name = call.path.rpartition("/")[2]
    if name not in call.world.operations:
        raise ApiError(404, "notFound", f"Not found: {call.path}.")
    return operation_body(call, call.world.operations[name])


def _create_cluster(call: Call) -> Body:
    asked: Body = dict(call.body["cluster"])
    path = f"{call.path}/{asked['name']}"
    if path in call.world.things:
        raise ApiError(409, "alreadyExists", f"Already exists: {path}.")
    refer(call, asked.get("network"), "global/networks")
    refer(call, asked.get("subnetwork"), f"regions/{region_of(call.path)}/subnetworks")
    refuse(against(call.world, path, asked))
    first = {
        "name": "default-pool",
        "initialNodeCount": asked.pop("initialNodeCount", 0),
        "config": asked.pop("nodeConfig", {}),
    }
    pools = asked.pop("nodePools", None) or [first]
    cluster = _cluster(path, asked)
    call.world.things[path] = cluster
    for pool in pools:
        put_pool(call, path, pool, "PROVISIONING")

    def finish() -> None:
        for name, body in call.world.things.items():
            if name == path or name.startswith(f"{path}/nodePools/"):
                body["status"] = "RUNNING"

    return operation_body(call, call.world.begin("CREATE_CLUSTER", path, finish))


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
    policy.update(clusterIpv4Cidr=policy["clusterIpv4CidrBlock"], servicesIpv4Cidr=policy["servicesIpv4CidrBlock"])
    cluster.update(clusterIpv4Cidr=policy["clusterIpv4CidrBlock"], servicesIpv4Cidr=policy["servicesIpv4CidrBlock"])
    links = {"network": asked.get("network", ""), "subnetwork": asked.get("subnetwork", "")}
    cluster["networkConfig"] = {**cluster["networkConfig"], **links}
    cluster.update({key: link.rpartition("/")[2] for key, link in links.items()})
    _endpoints(cluster)
    return cluster


def _endpoints(cluster: Body) -> None:
    """What the API makes of the endpoints that were asked for."""
    endpoints = cluster.setdefault("controlPlaneEndpointsConfig", {})
    dns, ip = (
        endpoints.setdefault("dnsEndpointConfig", {}),
        endpoints.setdefault("ipEndpointsConfig", {"enabled": True}),
    )
    region = cluster["location"]
    dns["endpoint"] = f"gke-{fingerprint(cluster['selfLink'])[:12]}.{region}.gke.goog"
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
    cluster = there(call, call.path)
    pools = [shown(call, "NodePool", body) for _, body in call.world.below(f"{call.path}/nodePools")]
    return {**shown(call, "Cluster", cluster), "nodePools": pools}


def _update_cluster(call: Call) -> Body:
    """Each ``desired…`` is the field of that name, or what stands in the table."""
    cluster, update = there(call, call.path), call.body["update"]
    change: Body = {}
    pool = update.get("desiredNodePoolId")
    for key, value in update.items():
        if key == "desiredNodePoolAutoscaling":
            changed = f"{call.path}/nodePools/{pool}"
            call.world.things[changed] = {**there(call, changed), "autoscaling": value}
        elif key == "desiredMasterVersion":
            change["currentMasterVersion"] = version_of(value)
        elif key != "desiredNodePoolId":
            _put(change, _DESIRED.get(key, _field(key)), value)
    after = merged(cluster, change)
    refuse(against_change(call.path, cluster, after))
    _endpoints(after)
    call.world.things[call.path] = after
    kind = "UPGRADE_MASTER" if "currentMasterVersion" in change else "UPDATE_CLUSTER"
    return operation_body(call, call.world.begin(kind, call.path))


_DESIRED = {
    "desiredDatapathProvider": "networkConfig.datapathProvider",
    "desiredDefaultEnablePrivateNodes": "networkConfig.defaultEnablePrivateNodes",
    "desiredDnsConfig": "networkConfig.dnsConfig",
    "desiredEnableMultiNetworking": "networkConfig.enableMultiNetworking",
    "desiredGatewayApiConfig": "networkConfig.gatewayApiConfig",
}


def _field(key: str) -> str:
    bare = key.removeprefix("desired")
    return bare[:1].lower() + bare[1:]


def _put(into: Body, path: str, value: Any) -> None:
    *way, last = path.split(".")
    for step in way:
        into = into.setdefault(step, {})
    into[last] = value


def _set_cluster(field: str, key: str, kind: str) -> Callable[[Call], Body]:
    def handle(call: Call) -> Body:
        after = {**there(call, call.path), field: call.body.get(key, {})}
        if field == "resourceLabels":
            after["labelFingerprint"] = fingerprint(after[field])
        call.world.things[call.path] = after
        return operation_body(call, call.world.begin(kind, call.path))

    return handle


def _delete(call: Call) -> Body:
    path, things = call.path, call.world.things
    there(call, path)["status"] = "STOPPING"

    def finish() -> None:
        gone = [name for name in things if name == path or name.startswith(f"{path}/")]
        gone += [name for name, body in things.items() if body.get("of") in gone]
        for name in gone:
            things.pop(name, None)
        if "/nodePools/" not in path:
            call.world.gone(path)

    kind = "DELETE_NODE_POOL" if "/nodePools/" in path else "DELETE_CLUSTER"
    return operation_body(call, call.world.begin(kind, path, finish))


def _server_config(call: Call) -> Body:
    del call
    versions = [version_of(f"1.{minor}") for minor in (37, 36, 35, 34)]
    channels = [
        {"channel": each, "defaultVersion": versions[1], "validVersions": versions}
        for each in ("RAPID", "REGULAR", "STABLE")
    ]
    return {
        "defaultClusterVersion": versions[1],
        "validMasterVersions": versions,
        "validNodeVersions": versions,
        "channels": channels,
    }


_HANDLERS: Mapping[str, Callable[[Call], Body]] = {
    **node_pools.HANDLERS,
    "getServerConfig": _server_config,
    "operations.get": _get_operation,
    "clusters.create": _create_cluster,
    "clusters.get": _get_cluster,
    "clusters.update": _update_cluster,
    "clusters.delete": _delete,
    "clusters.setResourceLabels": _set_cluster("resourceLabels", "resourceLabels", "SET_LABELS"),
    "clusters.setMaintenancePolicy": _set_cluster("maintenancePolicy", "maintenancePolicy", "SET_MAINTENANCE_POLICY"),
    "clusters.nodePools.delete": _delete,
}
