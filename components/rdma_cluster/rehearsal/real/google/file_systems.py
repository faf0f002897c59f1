"""Managed Lustre, and the peering by which a VPC reaches what Google runs for it."""

from collections.abc import Callable, Mapping
from typing import Any

from .call import CREATED, Call, merged
from .world import ApiError, Body, Operation

_TEXT, _FLAG, _OBJECT = {"type": "string"}, {"type": "boolean"}, {"type": "object"}
_MASK = {"updateMask": {"location": "query"}}
_INSTANCES = "lustre.projects.locations.instances"
_VERBS = ("get", "delete", "patch")


def _one(collection: str) -> dict[str, Any]:
    """What the methods of one instance or operation have in common."""
    name = {"location": "path", "pattern": f"^projects/[^/]+/locations/[^/]+/{collection}/[^/]+$"}
    return {"path": "v1/{+name}", "parameters": {"name": name, **_MASK}, "request": {"$ref": "Instance"}}


LUSTRE: Mapping[str, Any] = {
    # There is no discovery document of it; google-cloud-lustre 0.4.3 has the same message, to which a test holds this.
    "revision": "google-cloud-lustre 0.4.3",
    "servicePath": "",
    "parameters": {"alt": {"location": "query"}, "prettyPrint": {"location": "query"}},
    "schemas": {
        "Instance": {
            "id": "Instance",
            "type": "object",
            "properties": {
                **dict.fromkeys(("name", "filesystem", "network", "mountPoint", "description", "kmsKey", "uid"), _TEXT),
                **dict.fromkeys(("state", "stateReason", "placementPolicy", "createTime", "updateTime"), _TEXT),
                **{key: {**_TEXT, "format": "int64"} for key in ("capacityGib", "perUnitStorageThroughput")},
                **dict.fromkeys(("labels", "accessRulesOptions", "maintenancePolicy", "dynamicTierOptions"), _OBJECT),
                "gkeSupportEnabled": _FLAG,
            },
        }
    },
    "methods": {
        "create": {
            "id": f"{_INSTANCES}.create",
            "httpMethod": "POST",
            "path": "v1/{+parent}/instances",
            "parameters": {
                "parent": {"location": "path", "pattern": "^projects/[^/]+/locations/[^/]+$"},
                "instanceId": {"location": "query", "required": True},
            },
            "request": {"$ref": "Instance"},
        },
        **{verb: {**_one("instances"), "id": f"{_INSTANCES}.{verb}", "httpMethod": verb.upper()} for verb in _VERBS},
        "operation": {**_one("operations"), "id": "lustre.projects.locations.operations.get", "httpMethod": "GET"},
    },
}


def answer(call: Call) -> Body:
    """What the APIs answer. Raises ``ApiError``."""
    if (handle := _HANDLERS.get(call.method.id)) is None:
        raise ApiError(501, "notImplemented", f"{call.method.id} has no answer here")
    return handle(call)


def _operation(call: Call, operation: Operation) -> Body:
    """As https://cloud.google.com/apis/design/design_patterns#long_running_operations."""
    place = "/".join(call.path.split("/")[:4]) + "/" if call.path.startswith("projects/") else ""
    body: Body = {"name": f"{place}operations/{operation.name}", "done": operation.done}
    return {**body, "response": {"@type": "type.googleapis.com/google.protobuf.Empty"}} if operation.done else body


def _create_instance(call: Call) -> Body:
    path = f"{call.path}/{call.query['instanceId']}"
    if path in call.world.things:
        raise ApiError(409, "alreadyExists", f"Resource '{path}' already exists")
    call.world.get(call.body["network"])

    def finish() -> None:
        filesystem = call.body["filesystem"]
        made = {"name": path, "state": "ACTIVE", "createTime": CREATED, "mountPoint": f"10.100.0.2@tcp:/{filesystem}"}
        call.world.things[path] = {**call.body, **made}

    return _operation(call, call.world.begin("create", path, finish))


def _get(call: Call) -> Body:
    name = call.path.rpartition("/")[2]
    if "/operations/" in f"/{call.path}" and name in call.world.operations:
        return _operation(call, call.world.operations[name])
    return call.world.get(call.path)


def _delete(call: Call) -> Body:
    call.world.get(call.path)

    def finish() -> None:
        call.world.things.pop(call.path, None)

    return _operation(call, call.world.begin("delete", call.path, finish))


def _patch(call: Call) -> Body:
    call.world.things[call.path] = merged(call.world.get(call.path), call.body)
    return _operation(call, call.world.begin("update", call.path))


def _connect(call: Call) -> Body:
    """One peering a network, which goes with it."""
    name = str(call.body["network"]).rpartition("/")[2]
    of = next((path for path in call.world.things if path.endswith(f"/global/networks/{name}")), None)
    if of is None:
        raise ApiError(404, "notFound", f"The resource '{call.body['network']}' was not found")
    path = f"{call.path}/{name}"
    for each in call.body.get("reservedPeeringRanges", ()):
        call.world.get(f"{of.split('/global/')[0]}/global/addresses/{each}")
    peering = "servicenetworking-googleapis-com"
    call.world.things[path] = {**call.body, "peering": peering, "service": "services/" + path.split("/")[1], "of": of}
    return _operation(call, call.world.begin("connect", path))


def _connections(call: Call) -> Body:
    wanted = call.query.get("network")
    found = [body for _, body in call.world.below(call.path) if body["network"] == wanted]
    return {"connections": [{key: value for key, value in each.items() if key != "of"} for each in found]}


_HANDLERS: Mapping[str, Callable[[Call], Body]] = {
    f"{_INSTANCES}.create": _create_instance,
    f"{_INSTANCES}.get": _get,
    f"{_INSTANCES}.delete": _delete,
    f"{_INSTANCES}.patch": _patch,
    "lustre.projects.locations.operations.get": _get,
    "servicenetworking.services.connections.create": _connect,
    "servicenetworking.services.connections.list": _connections,
    "servicenetworking.operations.get": _get,
}
