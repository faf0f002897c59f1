"""Compute Engine: every collection alike, from its path; what is a type's own stands below."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from rdma_rehearsal.inventory import texts
from tools.google_server.call import CREATED, Call, Handler, fingerprint, merged, written
from tools.google_server.fake_google import ApiError, Body, Operation
from tools.google_server.given import COMPUTE, complete
from tools.google_server.inputs import against, against_change, refuse

WWW = "https://www.googleapis.com/"
_LIST_FILTER = re.compile(r'\(?(\w+)\s*(?:=|eq)\s*"?([^")]*)"?\)?')
_PATH = re.compile(r"(?:https://.*?/)?(projects/[^/]+/(?:global|regions/[^/]+|zones/[^/]+)/(\w+)/[^/]+)")
_GOOGLES = [
    "images",
    "machineTypes",
    "diskTypes",
    "acceleratorTypes",
    "networkProfiles",
    "projects",
    "zones",
    "regions",
]
"""Collections that hold what Google made."""
_refuse = partial(refuse, reason="invalid", prefix="Invalid value for field 'resource': ")


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


def _insert(call: Call) -> Body:
    path = f"{call.path}/{call.body['name']}"
    call.google.refuse_second(path, f"The resource '{path}' already exists")
    _refer_to_what_exists(call, call.body)
    _refuse(against(call.google, path, call.body))
    body = _made(call, path)

    def finish() -> None:
        call.resources[path] = body
        _beside(call, path, body)

    return operation_body(call, call.google.begin("insert", path, finish))


def _made(call: Call, path: str) -> Body:
    name = call.method.request["$ref"] if call.method.request else ""
    number = str(call.google.number() + 10**18)
    _, _, *scope, collection, _ = path.split("/")
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
        made[scope[0].removesuffix("s")] = f"{link}projects/{call.project}/{'/'.join(scope)}"
    if collection == "networks":
        made["selfLinkWithId"] = f"{link}{path.rpartition('/')[0]}/{number}"
    if collection == "subnetworks":
        made["gatewayAddress"] = str(body["ipCidrRange"]).rpartition(".")[0] + ".1"
        made["fingerprint"] = fingerprint(body)
    if collection == "addresses":
        made.setdefault("address", "10.100.0.0")
    if collection == "instances":
        _machine(made)
    return made


def _machine(made: Body) -> None:
    made["labelFingerprint"] = fingerprint(made.get("labels"))
    made["metadata"] = {**made.get("metadata", {}), "fingerprint": fingerprint(made.get("metadata"))}
    made["tags"] = {**made.get("tags", {}), "fingerprint": fingerprint(made.get("tags"))}
    for at, each in enumerate(made.get("networkInterfaces", ())):
        each.update(name=f"nic{at}", networkIP=f"10.0.{at}.2", stackType="IPV4_ONLY", fingerprint=fingerprint(each))
        each["kind"] = "compute#networkInterface"
    for at, each in enumerate(made.get("disks", ())):
        name = each.get("deviceName") or f"persistent-disk-{at}"
        each.update(deviceName=name, index=at, kind="compute#attachedDisk")
        each.setdefault("source", f"{made['zone']}/disks/{made['name'] if not at else name}")


def _beside(call: Call, path: str, body: Body) -> None:
    collection = path.split("/")[-2]
    if collection == "networks" and str(body.get("networkProfile", "")).endswith("-vpc-roce-metal"):
        # docs.cloud.google.com/vpc/docs/rdma-network-profiles: one subnet, that Google makes and deletes.
        region = re.sub(r".*/([a-z]+-[a-z]+\d+)-(?:ai\d+)?[a-z]-vpc-.*", r"\1", str(body["networkProfile"]))
        subnet = f"projects/{call.project}/regions/{region}/subnetworks/default-subnet-1-{body['name']}"
        call.resources[subnet] = {"name": subnet.rpartition("/")[2], "network": body["selfLink"], "of": path}
    for each in body.get("disks", ()) if collection == "instances" else ():
        disk = str(each["source"]).removeprefix(f"{WWW}{call.document.base}")
        asked = each.get("initializeParams", {})
        call.resources[disk] = {
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


def _get(call: Call) -> Body:
    collection = call.method.id.split(".")[1]
    if (operation := call.google.operations.get(call.parameters.get("operation", ""))) is not None:
        return operation_body(call, operation)
    body = _shown(call, call.google.get(call.path))
    return {"resource": body} if collection in ("reservationBlocks", "reservationSubBlocks") else body


def _list(call: Call) -> Body:
    items = call.google.below(call.path)
    for key, text in _LIST_FILTER.findall(call.query.get("filter", "")):
        items = [each for each in items if str(each.get(key, "")) == text]
    shown = {"items": [_shown(call, each) for each in items]} if items else {}
    return {"kind": f"compute#{call.method.id.split('.')[1].rstrip('s')}List", "id": call.path, **shown}


def _patch(call: Call) -> Body:
    before = call.google.get(call.path)
    if (asked := call.body.get("fingerprint")) is not None and asked != before.get("fingerprint"):
        raise ApiError(412, "conditionNotMet", "Invalid fingerprint.")
    change = dict(call.body)
    if "nats" in change:
        change["nats"] = [{key: text for key, text in nat.items() if text is not None} for nat in change["nats"] or ()]
        for nat in change["nats"]:
            complete(nat, COMPUTE["RouterNat"])
    after = merged(before, change)
    _refer_to_what_exists(call, change)
    _refuse(against_change(call.path, before, after))
    _refuse(against(call.google, call.path, after))
    if "fingerprint" in before:
        after["fingerprint"] = fingerprint(after)
    return _changed(call, "update" if call.method.verb == "PUT" else "patch", after)


def _set(call: Call) -> Body:
    """Change the field of a machine that the method's name ends with."""
    before = call.google.get(call.path)
    field = call.verb.removeprefix("set").lower()
    value = call.body.get(field, {}) if field == "labels" else dict(call.body)
    if field in ("metadata", "tags"):
        value["fingerprint"] = fingerprint(value)
    return _changed(call, call.verb, {**before, field: value})


def _changed(call: Call, kind: str, after: Body) -> Body:
    def finish() -> None:
        call.resources[call.path] = after

    return operation_body(call, call.google.begin(kind, call.path, finish))


def _delete(call: Call) -> Body:
    call.google.get(call.path)
    path, resources = call.path, call.resources
    beside = [name for name, body in resources.items() if body.get("of") == path]
    if user := next((each for each in call.google.users(path) if each not in beside), None):
        kind = path.split("/")[-2].removesuffix("s")
        message = f"The {kind} resource '{path}' is already being used by '{user}'"
        raise ApiError(400, "resourceInUseByAnotherResource", message)

    def finish() -> None:
        for each in (path, *beside):
            resources.pop(each, None)

    return operation_body(call, call.google.begin("delete", path, finish))


def _guest_attributes(call: Call) -> Body:
    """What a machine left: it has proved at once what its metadata orders."""
    machine = call.google.get(call.path)
    items = machine["metadata"].get("items", ())
    order = next((each.get("value", "") for each in items if each["key"] == "nccl-acceptance"), "")
    if not order:
        raise ApiError(404, "notFound", f"The resource '{call.query.get('queryPath')}' was not found")
    verdict = f"{order.partition(' ')[0]} proven\npassed in a simulation"
    return {
        "kind": "compute#guestAttributes",
        "queryPath": call.query.get("queryPath", ""),
        "queryValue": {"items": [{"namespace": "nccl-acceptance", "key": "verdict", "value": verdict}]},
        "selfLink": f"{machine['selfLink']}/guestAttributes/",
    }


def _power(call: Call) -> Body:
    status = "RUNNING" if call.verb == "start" else "TERMINATED"
    return _changed(call, call.verb, {**call.google.get(call.path), "status": status})


def _shown(call: Call, body: Body) -> Body:
    known = {key: value for key, value in body.items() if key != "of"}
    schemas = ((name, each.get("properties", {}).get("kind", {})) for name, each in call.document.schemas.items())
    name = next((name for name, kind in schemas if kind.get("default") == body.get("kind")), None)
    return written(call.document, {"$ref": name}, known, zeros=True) if name else known


def _refer_to_what_exists(call: Call, value: Any) -> None:
    """Raises ``ApiError`` for the path of a resource that is not there."""
    for path in filter(None, map(_PATH.fullmatch, texts(value))):
        if path[2] not in _GOOGLES:
            call.google.get(path[1])


HANDLERS: Mapping[str, Handler] = {
    "delete": _delete,
    "get": _get,
    "getGuestAttributes": _guest_attributes,
    "insert": _insert,
    "list": _list,
    "patch": _patch,
    "update": _patch,
    **dict.fromkeys(("start", "stop"), _power),
    **dict.fromkeys(("setMetadata", "setLabels", "setTags", "setScheduling"), _set),
}
"""By the method's name, whatever its collection."""
