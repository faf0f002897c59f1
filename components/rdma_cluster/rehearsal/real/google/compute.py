"""Compute Engine: every collection alike, from its path; what is a type's own stands below."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from ....constraints import Broken
from .call import CREATED, Call, fingerprint, merged, written
from .given import COMPUTE, complete
from .inputs import against, against_change
from .world import ApiError, Body, Operation

WWW = "https://www.googleapis.com/"
_LIST_FILTER = re.compile(r'\(?(\w+)\s*(?:=|eq)\s*"?([^")]*)"?\)?')
_OWN_VERBS = {"setMetadata": "metadata", "setLabels": "labels", "setTags": "tags", "setScheduling": "scheduling"}
"""Of machines: which field a verb changes. The document says so of each, in the name of its request."""


def answer(call: Call) -> Body:
    """What the API answers. Raises ``ApiError``."""
    collection, _, verb = call.method.id.removeprefix("compute.").rpartition(".")
    if collection.endswith("Operations"):
        return operation_body(call, _operation(call))
    if (handle := _HANDLERS.get(verb)) is None:
        raise ApiError(501, "notImplemented", f"{call.method.id} has no answer here")
    return handle(call, collection)


def operation_body(call: Call, operation: Operation) -> Body:
    """An operation as the API shows it."""
    scope = operation.target.partition("/")[2].partition("/")[2].rsplit("/", 2)[0]
    base = f"{WWW}{call.document.base}projects/{call.project}"
    where = {} if scope == "global" else {scope.split("/")[0].removesuffix("s"): f"{base}/{scope}"}
    return {
        "kind": "compute#operation",
        "id": operation.name.rpartition("-")[2],
        "name": operation.name,
        "operationType": operation.kind,
        "status": "DONE" if operation.done else "RUNNING",
        "progress": 100 if operation.done else 0,
        "targetLink": f"{WWW}{call.document.base}{operation.target}",
        "insertTime": CREATED,
        "selfLink": f"{base}/{scope}/operations/{operation.name}",
        **where,
    }


def _operation(call: Call) -> Operation:
    name = call.parameters["operation"]
    if name not in call.world.operations:
        raise ApiError(404, "notFound", f"The resource '{call.path}' was not found")
    return call.world.operations[name]


def _insert(call: Call, collection: str) -> Body:
    path = f"{call.path}/{call.body['name']}"
    if path in call.world.things:
        raise ApiError(409, "alreadyExists", f"The resource '{path}' already exists")
    _refer_to_what_exists(call, call.body)
    _refuse(against(call.world, path, call.body))
    body = _made(call, collection, path)

    def finish() -> None:
        call.world.things[path] = body
        _beside(call, collection, path, body)

    return operation_body(call, call.world.begin("insert", path, finish))


def _made(call: Call, collection: str, path: str) -> Body:
    name = call.method.request["$ref"] if call.method.request else ""
    number = str(call.world.number() + 10**18)
    scope = path.split("/")[2:-2]
    link = f"{WWW}{call.document.base}"
    body = dict(call.body)
    complete(body, COMPUTE.get(name, ()))
    made = {
        **body,
        "kind": call.document.schemas[name]["properties"]["kind"].get("default", ""),
        "id": number,
        "creationTimestamp": CREATED,
        "selfLink": f"{link}{path}",
    }
    if len(scope) == 2:
        made[scope[0].removesuffix("s")] = f"{link}{'/'.join(path.split('/')[:4])}"
    if collection == "networks":
        made["selfLinkWithId"] = f"{link}{path.rpartition('/')[0]}/{number}"
    if collection == "subnetworks":
        made["gatewayAddress"] = str(body["ipCidrRange"]).rpartition(".")[0] + ".1"
        made["fingerprint"] = fingerprint(body)
    if path.split("/")[-2] == "addresses":
        made.setdefault("address", "10.100.0.0")
    if collection == "instances":
        _machine(made, link)
    return made


def _machine(made: Body, link: str) -> None:
    made["labelFingerprint"] = fingerprint(made.get("labels"))
    made["metadata"] = {**made.get("metadata", {}), "fingerprint": fingerprint(made.get("metadata"))}
    made["tags"] = {**made.get("tags", {}), "fingerprint": fingerprint(made.get("tags"))}
    made["currentActionStatus"] = ""
    for at, each in enumerate(made.get("networkInterfaces", ())):
        each.update(name=f"nic{at}", networkIP=f"10.0.{at}.2", stackType="IPV4_ONLY", fingerprint=fingerprint(each))
        each["kind"] = "compute#networkInterface"
    for at, each in enumerate(made.get("disks", ())):
        name = each.get("deviceName") or f"persistent-disk-{at}"
        each.update(deviceName=name, index=at, kind="compute#attachedDisk")
        each.setdefault("source", f"{made['zone']}/disks/{made['name'] if not at else name}")
    del made["currentActionStatus"]


def _beside(call: Call, collection: str, path: str, body: Body) -> None:
    """What the API makes with a resource."""
    if collection == "networks" and str(body.get("networkProfile", "")).endswith("-vpc-roce-metal"):
        # docs.cloud.google.com/vpc/docs/rdma-network-profiles: one subnet, that Google makes and deletes.
        region = re.sub(r".*/([a-z]+-[a-z]+\d+)-(?:ai\d+)?[a-z]-vpc-.*", r"\1", str(body["networkProfile"]))
        subnet = f"projects/{call.project}/regions/{region}/subnetworks/default-subnet-1-{body['name']}"
        call.world.things[subnet] = {"name": subnet.rpartition("/")[2], "network": body["selfLink"], "of": path}
    for each in body.get("disks", ()) if collection == "instances" else ():
        disk = str(each["source"]).removeprefix(f"{WWW}{call.document.base}")
        asked = each.get("initializeParams", {})
        call.world.things[disk] = {
            "kind": "compute#disk",
            "name": disk.rpartition("/")[2],
            "selfLink": each["source"],
            "zone": body["zone"],
            "type": asked.get("diskType", f"{body['zone']}/diskTypes/pd-standard"),
            "sizeGb": str(asked.get("diskSizeGb", 10)),
            "sourceImage": asked.get("sourceImage", ""),
            "status": "READY",
            "of": path,
        }


def _get(call: Call, collection: str) -> Body:
    body = _shown(call, call.world.get(call.path))
    return {"resource": body} if collection in ("reservationBlocks", "reservationSubBlocks") else body


def _list(call: Call, collection: str) -> Body:
    wanted = [(found[1], found[2]) for found in _LIST_FILTER.finditer(call.query.get("filter", ""))]
    items = [
        _shown(call, body)
        for _, body in call.world.below(call.path)
        if all(str(body.get(key, "")) == text for key, text in wanted)
    ]
    return {"kind": f"compute#{collection.rstrip('s')}List", "id": call.path, **({"items": items} if items else {})}


def _patch(call: Call, collection: str) -> Body:
    del collection
    before = call.world.get(call.path)
    if (asked := call.body.get("fingerprint")) is not None and asked != before.get("fingerprint"):
        raise ApiError(412, "conditionNotMet", "Invalid fingerprint.")
    change = (
        {**call.body, "nats": [_nat(each) for each in call.body["nats"] or ()]} if "nats" in call.body else call.body
    )
    after = merged(before, change)
    _refer_to_what_exists(call, change)
    _refuse(against_change(call.path, before, after))
    _refuse(against(call.world, call.path, after))
    if "fingerprint" in before:
        after["fingerprint"] = fingerprint(after)
    return _changed(call, "update" if call.method.verb == "PUT" else "patch", after)


def _set(field: str) -> Callable[[Call, str], Body]:
    def handle(call: Call, collection: str) -> Body:
        del collection
        before = call.world.get(call.path)
        value = call.body.get(field, {}) if field == "labels" else dict(call.body)
        if isinstance(value, dict) and field in ("metadata", "tags"):
            value["fingerprint"] = fingerprint(value)
        return _changed(call, f"set{field.capitalize()}", {**before, field: value})

    return handle


def _changed(call: Call, kind: str, after: Body) -> Body:
    path = call.path

    def finish() -> None:
        call.world.things[path] = after

    return operation_body(call, call.world.begin(kind, path, finish))


def _nat(nat: Mapping[str, Any]) -> Body:
    body = {key: value for key, value in nat.items() if value is not None}
    complete(body, COMPUTE["RouterNat"])
    return body


def _delete(call: Call, collection: str) -> Body:
    del collection
    call.world.get(call.path)
    path, things = call.path, call.world.things
    beside = [name for name, body in things.items() if body.get("of") == path]
    if user := next((each for each in call.world.users(path) if each not in beside), None):
        kind = path.split("/")[-2].removesuffix("s")
        message = f"The {kind} resource '{path}' is already being used by '{user}'"
        raise ApiError(400, "resourceInUseByAnotherResource", message)

    def finish() -> None:
        for each in (path, *beside):
            things.pop(each, None)

    return operation_body(call, call.world.begin("delete", path, finish))


def _guest_attributes(call: Call, collection: str) -> Body:
    """What a machine left: it has proved at once what its metadata orders."""
    del collection
    machine = call.world.get(call.path)
    order = {each["key"]: each.get("value", "") for each in machine["metadata"].get("items", ())}.get(
        "nccl-acceptance", ""
    )
    if not order:
        raise ApiError(404, "notFound", f"The resource '{call.query.get('queryPath')}' was not found")
    verdict = f"{order.partition(' ')[0]} proven\npassed in a simulation"
    items = [{"namespace": "nccl-acceptance", "key": "verdict", "value": verdict}]
    return {
        "kind": "compute#guestAttributes",
        "queryPath": call.query.get("queryPath", ""),
        "queryValue": {"items": items},
        "selfLink": f"{machine['selfLink']}/guestAttributes/",
    }


def _power(status: str) -> Callable[[Call, str], Body]:
    def handle(call: Call, collection: str) -> Body:
        del collection
        return _changed(
            call, "start" if status == "RUNNING" else "stop", {**call.world.get(call.path), "status": status}
        )

    return handle


def _shown(call: Call, body: Body) -> Body:
    known = {key: value for key, value in body.items() if key != "of"}
    name = next((found for found in call.document.schemas if _kind(call, found) == body.get("kind")), None)
    return written(call.document, {"$ref": name}, known, zeros=True) if name else known


def _kind(call: Call, schema: str) -> str | None:
    return call.document.schemas[schema].get("properties", {}).get("kind", {}).get("default")


_ELSEWHERE = (
    "images",
    "machineTypes",
    "diskTypes",
    "acceleratorTypes",
    "networkProfiles",
    "projects",
    "zones",
    "regions",
)
"""Collections that hold what Google made."""


def _refer_to_what_exists(call: Call, value: Any) -> None:
    """Raises ``ApiError`` for the path of a resource that is not there."""
    if isinstance(value, dict):
        for inner in value.values():
            _refer_to_what_exists(call, inner)
    elif isinstance(value, list):
        for inner in value:
            _refer_to_what_exists(call, inner)
    elif isinstance(value, str):
        path = re.fullmatch(
            r"(?:https://.*?/)?(projects/[^/]+/(?:global|regions/[^/]+|zones/[^/]+)/(\w+)/[^/]+)", value
        )
        if path is not None and path[2] not in _ELSEWHERE:
            call.world.get(path[1])


def _refuse(broken: list[Broken]) -> None:
    if broken:
        told = "; ".join(f"{each.path}: {each.words}" for each in broken)
        raise ApiError(400, "invalid", f"Invalid value for field 'resource': {told}")


_HANDLERS: dict[str, Callable[[Call, str], Body]] = {
    "delete": _delete,
    "get": _get,
    "getGuestAttributes": _guest_attributes,
    "insert": _insert,
    "list": _list,
    "patch": _patch,
    "start": _power("RUNNING"),
    "stop": _power("TERMINATED"),
    "update": _patch,
    **{verb: _set(field) for verb, field in _OWN_VERBS.items()},
}
