"""Managed Lustre, and the peering by which a VPC reaches what Google runs for it."""

from collections.abc import Mapping

from tools.google_server.call import CREATED, Call, Handler, merged
from tools.google_server.fake_google import ApiError, Body, Operation


def _operation(call: Call, operation: Operation) -> Body:
    """As https://cloud.google.com/apis/design/design_patterns#long_running_operations."""
    place = "/".join(call.path.split("/")[:4]) + "/" if call.path.startswith("projects/") else ""
    body: Body = {"name": f"{place}operations/{operation.name}", "done": operation.done}
    return {**body, "response": {"@type": "type.googleapis.com/google.protobuf.Empty"}} if operation.done else body


def _create_instance(call: Call) -> Body:
    path = f"{call.path}/{call.query['instanceId']}"
    call.google.refuse_second(path, f"Resource '{path}' already exists")
    call.google.get(call.body["network"])

    def finish() -> None:
        filesystem = call.body["filesystem"]
        made = {"name": path, "state": "ACTIVE", "createTime": CREATED, "mountPoint": f"10.100.0.2@tcp:/{filesystem}"}
        call.resources[path] = {**call.body, **made}

    return _operation(call, call.google.begin("create", path, finish))


def _get(call: Call) -> Body:
    _, collection, name = f"/{call.path}".rsplit("/", 2)
    operation = call.google.operations.get(name) if collection == "operations" else None
    return _operation(call, operation) if operation else call.google.get(call.path)


def _delete(call: Call) -> Body:
    call.google.get(call.path)

    def finish() -> None:
        call.resources.pop(call.path, None)

    return _operation(call, call.google.begin("delete", call.path, finish))


def _patch(call: Call) -> Body:
    call.resources[call.path] = merged(call.google.get(call.path), call.body)
    return _operation(call, call.google.begin("update", call.path))


def _connect(call: Call) -> Body:
    """One peering a network, which goes with it."""
    name = str(call.body["network"]).rpartition("/")[2]
    of = next((path for path in call.resources if path.endswith(f"/global/networks/{name}")), None)
    if of is None:
        raise ApiError(404, "notFound", f"The resource '{call.body['network']}' was not found")
    path = f"{call.path}/{name}"
    for each in call.body.get("reservedPeeringRanges", ()):
        call.google.get(f"{of.split('/global/')[0]}/global/addresses/{each}")
    peering = "servicenetworking-googleapis-com"
    call.resources[path] = {**call.body, "peering": peering, "service": "services/" + path.split("/")[1], "of": of}
    return _operation(call, call.google.begin("connect", path))


def _connections(call: Call) -> Body:
    wanted = call.query.get("network")
    found = [body for body in call.google.below(call.path) if body["network"] == wanted]
    return {"connections": [{key: value for key, value in each.items() if key != "of"} for each in found]}


HANDLERS: Mapping[str, Handler] = {
    "lustre.projects.locations.instances.create": _create_instance,
    "lustre.projects.locations.instances.get": _get,
    "lustre.projects.locations.instances.delete": _delete,
    "lustre.projects.locations.instances.patch": _patch,
    "lustre.projects.locations.operations.get": _get,
    "servicenetworking.services.connections.create": _connect,
    "servicenetworking.services.connections.list": _connections,
    "servicenetworking.operations.get": _get,
}
