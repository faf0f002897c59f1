"""Node pools, and the managed instance groups that their nodes are in."""

from collections.abc import Callable, Mapping

from .call import Call, fingerprint, merged
from .compute import WWW
from .given import CONTAINER, complete
from .inputs import against, against_change
from .kubernetes_engine import ENGINE, operation_body, refer, refuse, region_of, runs, shown, there, version_of
from .world import ApiError, Body

# Verbatim but for numbers and names: github.com/hashicorp/terraform-provider-google/pull/10121, 2021-09-21. The pool
# stays, and GKE goes on trying.
_NO_ROOM = (
    "Google Compute Engine: Not all instances running in IGM after 1m6.219216581s. Expected {nodes}, running 0, "
    "transitioning {nodes}. Current errors: [GCE_STOCKOUT]: Instance '{name}' creation failed: The zone '{zone}' does "
    "not have enough resources available to fulfill the request.  '(resource type:compute)'.; (truncated)."
)


def _create_pool(call: Call) -> Body:
    cluster, asked = call.path.rpartition("/")[0], dict(call.body["nodePool"])
    there(call, cluster)
    path = f"{cluster}/nodePools/{asked['name']}"
    if path in call.world.things:
        raise ApiError(409, "alreadyExists", f"Already exists: {path}.")
    region = region_of(cluster)
    for each in asked.get("networkConfig", {}).get("additionalNodeNetworkConfigs", ()):
        refer(call, each.get("network"), "global/networks")
        refer(call, each.get("subnetwork"), f"regions/{region}/subnetworks")
    refer(call, asked.get("placementPolicy", {}).get("policyName"), f"regions/{region}/resourcePolicies")
    refuse(against(call.world, path, asked))
    put_pool(call, cluster, asked, "PROVISIONING")
    if call.world.room:
        return operation_body(call, call.world.begin("CREATE_NODE_POOL", path, runs(call, path)))
    operation = call.world.begin("CREATE_NODE_POOL", path, runs(call, path, "ERROR"))
    zone = f"projects/{call.project}/zones/{call.world.things[path]['locations'][0]}"
    operation.failed = _NO_ROOM.format(nodes=asked.get("initialNodeCount", 0), name=asked["name"], zone=zone)
    return operation_body(call, operation)


def put_pool(call: Call, cluster: str, asked: Body, status: str) -> None:
    path = f"{cluster}/nodePools/{asked['name']}"
    of = call.world.things[cluster]
    pool = {
        **asked,
        "status": status,
        "selfLink": f"{ENGINE}{path}",
        "locations": asked.get("locations") or of["locations"],
        "version": asked.get("version") or of["currentMasterVersion"],
        "etag": fingerprint(asked),
    }
    config = pool["config"] = dict(pool.get("config", {}))
    _taint_and_label(config)
    complete(config, CONTAINER["NodeConfig"])
    if "upgradeSettings" in pool:
        pool["upgradeSettings"] = {"strategy": "SURGE", "maxSurge": 0, **pool["upgradeSettings"]}
    complete(pool, CONTAINER["NodePool"])
    groups = []
    for zone in pool["locations"]:
        name = f"gke-{cluster.rpartition('/')[2]}-{asked['name']}-{fingerprint(path)[:8]}-grp"
        base = f"{WWW}compute/v1/projects/{call.project}/zones/{zone}"
        groups.append(f"{base}/instanceGroupManagers/{name}")
        call.world.things[f"projects/{call.project}/zones/{zone}/instanceGroupManagers/{name}"] = {
            "kind": "compute#instanceGroupManager",
            "name": name,
            "zone": base,
            "selfLink": groups[-1],
            "instanceGroup": f"{base}/instanceGroups/{name}",
            "targetSize": int(asked.get("initialNodeCount") or 0),
            "of": path,
        }
    pool["instanceGroupUrls"] = groups
    call.world.things[path] = pool


def _taint_and_label(config: Body) -> None:
    """That GKE itself adds the taint of GPU nodes is documented, and that it is shown in the pool is not: a guess.

    docs.cloud.google.com/kubernetes-engine/docs/how-to/gpus, 2026-11.
    """
    own = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    if config.get("accelerators") and own not in config.get("taints", ()):
        config["taints"] = [*config.get("taints", ()), own]


def _get_pool(call: Call) -> Body:
    return shown(call, "NodePool", there(call, call.path))


def _list_pools(call: Call) -> Body:
    there(call, call.path.rpartition("/")[0])
    return {"nodePools": [shown(call, "NodePool", body) for _, body in call.world.below(call.path)]}


def _set_size(call: Call) -> Body:
    groups = [body for body in call.world.things.values() if body.get("of") == call.path]
    there(call, call.path)["status"] = "RECONCILING"
    for each in groups:
        each["targetSize"] = int(call.body.get("nodeCount") or 0)
    return operation_body(call, call.world.begin("SET_NODE_POOL_SIZE", call.path, runs(call, call.path)))


def _set_management(call: Call) -> Body:
    call.world.things[call.path] = {**there(call, call.path), "management": call.body["management"]}
    return operation_body(call, call.world.begin("SET_NODE_POOL_MANAGEMENT", call.path))


def _update_pool(call: Call) -> Body:
    """The fields of the request are the pool's, or those of its nodes."""
    pool = dict(there(call, call.path))
    before = dict(pool)
    nodes = call.document.schemas["NodeConfig"]["properties"]
    for key, value in call.body.items():
        if key in ("labels", "taints", "tags"):
            pool["config"] = {**pool["config"], key: value.get(key, value.get("tags")) or {}}
        elif key == "nodeVersion":
            pool["version"] = version_of(value)
        elif key == "nodeNetworkConfig":
            pool["networkConfig"] = merged(pool.get("networkConfig", {}), value)
        elif key in nodes:
            pool["config"] = {**pool["config"], key: value}
        elif key not in ("name", "nodePoolId", "etag"):
            pool[key] = value
    refuse(against_change(call.path, before, pool))
    refuse(against(call.world, call.path, pool))
    call.world.things[call.path] = {**pool, "status": "RECONCILING", "etag": fingerprint(pool)}
    return operation_body(call, call.world.begin("UPGRADE_NODES", call.path, runs(call, call.path)))


HANDLERS: Mapping[str, Callable[[Call], Body]] = {
    "clusters.nodePools.create": _create_pool,
    "clusters.nodePools.get": _get_pool,
    "clusters.nodePools.list": _list_pools,
    "clusters.nodePools.setSize": _set_size,
    "clusters.nodePools.setManagement": _set_management,
    "clusters.nodePools.update": _update_pool,
}
