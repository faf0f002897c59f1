"""Service accounts, projects and buckets, and who may do what with them. None of these takes its time."""

from collections.abc import Callable, Mapping
from typing import Any

from .call import CREATED, Call, fingerprint, merged
from .compute import WWW
from .inputs import against
from .world import ApiError, Body

PROJECT_NUMBER = "123456789012"


def answer(call: Call) -> Body:
    """What the API answers. Raises ``ApiError``."""
    if (handle := _HANDLERS.get(call.method.id)) is None:
        raise ApiError(501, "notImplemented", f"{call.method.id} has no answer here")
    return handle(call)


def _create_account(call: Call) -> Body:
    email = f"{call.body['accountId']}@{call.project}.iam.gserviceaccount.com"
    path = f"projects/{call.project}/serviceAccounts/{email}"
    if path in call.world.things:
        raise ApiError(409, "alreadyExists", f"Service account {call.body['accountId']} already exists within project.")
    asked = call.body.get("serviceAccount", {})
    if broken := against(call.world, path, asked):
        raise ApiError(400, "badRequest", "; ".join(f"{each.path}: {each.words}" for each in broken))
    number = str(10**20 + call.world.number())
    made = {"name": path, "projectId": call.project, "uniqueId": number, "email": email, "oauth2ClientId": number}
    call.world.things[path] = {**asked, **made, "etag": fingerprint(asked)}
    return call.world.things[path]


def _delete(call: Call) -> Body:
    call.world.get(call.path)
    del call.world.things[call.path]
    call.world.things.pop(_policy(call) if call.path.startswith("b/") else "", None)
    return {}


def _patch_account(call: Call) -> Body:
    call.world.things[call.path] = merged(call.world.get(call.path), call.body.get("serviceAccount", {}))
    return call.world.things[call.path]


def _get(call: Call) -> Body:
    return call.world.get(call.path)


def _get_project(call: Call) -> Body:
    return {
        "projectId": call.project,
        "projectNumber": PROJECT_NUMBER,
        "name": call.project,
        "lifecycleState": "ACTIVE",
        "createTime": CREATED,
    }


def _create_bucket(call: Call) -> Body:
    name = call.body["name"]
    path = f"b/{name}"
    if path in call.world.things:
        raise ApiError(409, "conflict", "The requested bucket name is not available.")
    if broken := against(call.world, path, call.body):
        raise ApiError(400, "invalid", "; ".join(each.words for each in broken))
    call.world.things[path] = {
        "storageClass": "STANDARD",
        "rpo": "DEFAULT",
        "softDeletePolicy": {"retentionDurationSeconds": "604800", "effectiveTime": CREATED},
        **call.body,
        "kind": "storage#bucket",
        "id": name,
        "selfLink": f"{WWW}storage/v1/{path}",
        "projectNumber": PROJECT_NUMBER,
        "timeCreated": CREATED,
        "updated": CREATED,
        "etag": fingerprint(call.body),
        "locationType": "region",
        "location": str(call.body.get("location", "US")).upper(),
    }
    return call.world.things[path]


def _patch_bucket(call: Call) -> Body:
    call.world.things[call.path] = merged(call.world.get(call.path), call.body)
    return call.world.things[call.path]


def _get_policy(call: Call) -> Body:
    """A bucket's project has it from the beginning: which roles is a guess; a policy without any is none."""
    owners = {"role": "roles/storage.legacyBucketOwner", "members": ["projectEditor:p", "projectOwner:p"]}
    first = {"bindings": [owners]} if call.path.startswith("b/") else {}
    return call.world.things.get(_policy(call), {"version": 1, **first, "etag": fingerprint(None)})


def _set_policy(call: Call) -> Body:
    """A policy is written whole, by whoever read it last."""
    policy: Mapping[str, Any] = call.body.get("policy", call.body)
    if policy.get("etag") and policy["etag"] != _get_policy(call)["etag"]:
        raise ApiError(
            409, "aborted", "There were concurrent policy changes. Please retry the whole read-modify-write."
        )
    bindings = [each for each in policy.get("bindings") or () if each.get("members")]
    for each in bindings:
        for member in each["members"]:
            _exists(call, member)
    after = {"version": 1, "bindings": bindings, "etag": fingerprint([bindings, call.world.number()])}
    if bindings:
        call.world.things[_policy(call)] = after
    else:
        call.world.things.pop(_policy(call), None)
    return after


def _exists(call: Call, member: str) -> None:
    """Raises ``ApiError`` for an account of this project that there is not."""
    email = member.partition(":")[2]
    path = f"projects/{call.project}/serviceAccounts/{email}"
    ours = member.startswith("serviceAccount:") and email.endswith(f"@{call.project}.iam.gserviceaccount.com")
    if ours and path not in call.world.things:
        raise ApiError(400, "badRequest", f"Service account {email} does not exist.")


def _policy(call: Call) -> str:
    return f"{call.path}/iamPolicy" if call.path.startswith("b/") else f"projects/{call.project}/iamPolicy"


_HANDLERS: Mapping[str, Callable[[Call], Body]] = {
    "iam.projects.serviceAccounts.create": _create_account,
    "iam.projects.serviceAccounts.get": _get,
    "iam.projects.serviceAccounts.patch": _patch_account,
    "iam.projects.serviceAccounts.delete": _delete,
    "cloudresourcemanager.projects.get": _get_project,
    "cloudresourcemanager.projects.getIamPolicy": _get_policy,
    "cloudresourcemanager.projects.setIamPolicy": _set_policy,
    "storage.buckets.insert": _create_bucket,
    "storage.buckets.get": _get,
    "storage.buckets.patch": _patch_bucket,
    "storage.buckets.delete": _delete,
    "storage.buckets.getIamPolicy": _get_policy,
    "storage.buckets.setIamPolicy": _set_policy,
    "storage.objects.list": lambda call: {"kind": "storage#objects"},
}
