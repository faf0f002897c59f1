"""Kubernetes Engine: node pools with the groups that their nodes are in, and what clusters share with them."""

from collections.abc import Callable, Mapping

from tools.google_server.call import CREATED, Call, Handler, fingerprint, merged, written
from tools.google_server.compute import WWW
from tools.google_server.fake_google import Body, Operation
from tools.google_server.given import CONTAINER, complete
from tools.google_server.inputs import against, against_change, refuse

ENGINE = "https://container.googleapis.com/v1beta1/"
_PATCHES = 1000
"""Of a version that a request names by its minor alone: ``1.35`` becomes ``1.35.1-gke.1000``. A guess."""
# Verbatim but for numbers and names: github.com/hashicorp/terraform-provider-google/pull/10121, 2021-09-21. The pool
# stays, and GKE goes on trying.
_NO_ROOM = (
    "Google Compute Engine: Not all instances running in IGM after 1m6.219216581s. Expected {nodes}, running 0, "
    "transitioning {nodes}. Current errors: [GCE_STOCKOUT]: Instance '{name}' creation failed: The zone '{zone}' does "
    "not have enough resources available to fulfill the request.  '(resource type:compute)'.; (truncated)."
)


def operation_body(call: Call, operation: Operation) -> Body:
    """As the API shows it: without what is empty."""
    place = "/".join(call.path.split("/")[:4])
    return {
        "name": operation.name,
        "operationType": operation.kind,
        "status": "DONE" if operation.done else "RUNNING",
        "startTime": CREATED,
        "selfLink": f"{ENGINE}{place}/operations/{operation.name}",
        "targetLink": f"{ENGINE}{operation.target}",
        "location": place.rpartition("/")[2],
        **({"endTime": CREATED} if operation.done else {}),
        **({"statusMessage": operation.failed} if operation.done and operation.failed else {}),
    }


def existing(call: Call, path: str) -> Body:
    """The cluster or pool at a path. Raises ``ApiError``."""
    return call.google.get(path, "Not found: {}.")


def shown(call: Call, schema: str, body: Body) -> Body:
    return written(call.document, {"$ref": schema}, body, zeros=False)


def refer(call: Call, link: str | None, collection: str) -> None:
    """Raises ``ApiError`` where a network, a subnetwork or a policy is not there."""
    if link:
        name = link.rpartition("/")[2]
        path = link if link.startswith("projects/") else f"projects/{call.project}/{collection}/{name}"
        call.google.get(path, "Not found: resource '{}'.")


def region_of(path: str) -> str:
    place = path.split("/")[3]
    return place.rpartition("-")[0] if place.count("-") == 2 else place


def version_of(asked: str) -> str:
    """The whole version that a request means."""
    asked = asked or "1.35"
    if "-gke." in asked:
        return asked
    return f"{asked}.1-gke.{_PATCHES}" if asked.count(".") == 1 else f"{asked}-gke.{_PATCHES}"


def runs(call: Call, path: str, status: str = "RUNNING") -> Callable[[], None]:
    """What the end of an operation does to the pool at a path."""

    def finish() -> None:
        if (body := call.resources.get(path)) is not None:
            body["status"] = status

    return finish


def _create_pool(call: Call) -> Body:
    cluster, asked = call.path.rpartition("/")[0], dict(call.body["nodePool"])
    existing(call, cluster)
    path = f"{cluster}/nodePools/{asked['name']}"
    call.google.refuse_second(path, f"Already exists: {path}.")
    region = region_of(cluster)
    for each in asked.get("networkConfig", {}).get("additionalNodeNetworkConfigs", ()):
        refer(call, each.get("network"), "global/networks")
        refer(call, each.get("subnetwork"), f"regions/{region}/subnetworks")
    refer(call, asked.get("placementPolicy", {}).get("policyName"), f"regions/{region}/resourcePolicies")
    refuse(against(call.google, path, asked))
    put_pool(call, cluster, asked)
    status = "RUNNING" if call.google.has_room else "ERROR"
    operation = call.google.begin("CREATE_NODE_POOL", path, runs(call, path, status))
    if not call.google.has_room:
        zone = f"projects/{call.project}/zones/{call.resources[path]['locations'][0]}"
        operation.failed = _NO_ROOM.format(nodes=asked.get("initialNodeCount", 0), name=asked["name"], zone=zone)
    return operation_body(call, operation)


def put_pool(call: Call, cluster: str, asked: Body) -> None:
    """Make a pool and its instance groups, which are not ready yet."""
    path = f"{cluster}/nodePools/{asked['name']}"
    of = call.resources[cluster]
    pool = {
        **asked,
        "status": "PROVISIONING",
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
    name = f"gke-{cluster.rpartition('/')[2]}-{asked['name']}-{fingerprint(path)[:8]}-grp"
    for zone in pool["locations"]:
        base = f"{WWW}compute/v1/projects/{call.project}/zones/{zone}"
        groups.append(f"{base}/instanceGroupManagers/{name}")
        call.resources[f"projects/{call.project}/zones/{zone}/instanceGroupManagers/{name}"] = {
            "kind": "compute#instanceGroupManager",
            "name": name,
            "zone": base,
            "selfLink": groups[-1],
            "instanceGroup": f"{base}/instanceGroups/{name}",
            "targetSize": int(asked.get("initialNodeCount") or 0),
            "of": path,
        }
    pool["instanceGroupUrls"] = groups
    call.resources[path] = pool


def _taint_and_label(config: Body) -> None:
    """That GKE itself adds the taint of GPU nodes is documented, and that it is shown in the pool is not: a guess.

    docs.cloud.google.com/kubernetes-engine/docs/how-to/gpus, 2026-11.
    """
    own = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    if config.get("accelerators") and own not in config.get("taints", ()):
        config["taints"] = [*config.get("taints", ()), own]


def _get_pool(call: Call) -> Body:
    return shown(call, "NodePool", existing(call, call.path))


def _list_pools(call: Call) -> Body:
    existing(call, call.path.rpartition("/")[0])
    return {"nodePools": [shown(call, "NodePool", body) for body in call.google.below(call.path)]}


def _set_size(call: Call) -> Body:
    groups = [body for body in call.resources.values() if body.get("of") == call.path]
    existing(call, call.path)["status"] = "RECONCILING"
    for each in groups:
        each["targetSize"] = int(call.body.get("nodeCount") or 0)
    return operation_body(call, call.google.begin("SET_NODE_POOL_SIZE", call.path, runs(call, call.path)))


def set_field(field: str, kind: str) -> Handler:
    """What sets one field of a cluster or a pool, in an operation of that kind."""

    def handle(call: Call) -> Body:
        after = {**existing(call, call.path), field: call.body.get(field, {})}
        if field == "resourceLabels":
            after["labelFingerprint"] = fingerprint(after[field])
        call.resources[call.path] = after
        return operation_body(call, call.google.begin(kind, call.path))

    return handle


def _update_pool(call: Call) -> Body:
    """The fields of the request are the pool's, or those of its nodes."""
    before = existing(call, call.path)
    pool = dict(before)
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
    refuse(against(call.google, call.path, pool))
    call.resources[call.path] = {**pool, "status": "RECONCILING", "etag": fingerprint(pool)}
    return operation_body(call, call.google.begin("UPGRADE_NODES", call.path, runs(call, call.path)))


HANDLERS: Mapping[str, Handler] = {
    "clusters.nodePools.create": _create_pool,
    "clusters.nodePools.get": _get_pool,
    "clusters.nodePools.list": _list_pools,
    "clusters.nodePools.setSize": _set_size,
    "clusters.nodePools.setManagement": set_field("management", "SET_NODE_POOL_MANAGEMENT"),
    "clusters.nodePools.update": _update_pool,
}
