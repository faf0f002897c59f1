"""Service accounts, projects with their quotas, and buckets, and who may do what with them. Nothing takes its time."""

from collections.abc import Mapping
from typing import Any

from tools.google_server.call import CREATED, Call, Handler, fingerprint, merged
from tools.google_server.compute import WWW
from tools.google_server.fake_google import ApiError, Body
from tools.google_server.inputs import against, refuse

PROJECT_NUMBER = "123456789012"


def _create_account(call: Call) -> Body:
    email = f"{call.body['accountId']}@{call.project}.iam.gserviceaccount.com"
    path = f"projects/{call.project}/serviceAccounts/{email}"
    call.google.refuse_second(path, f"Service account {call.body['accountId']} already exists within project.")
    asked = call.body.get("serviceAccount", {})
    refuse(against(call.google, path, asked))
    number = str(10**20 + call.google.number())
    made = {"name": path, "projectId": call.project, "uniqueId": number, "email": email, "oauth2ClientId": number}
    call.resources[path] = {**asked, **made, "etag": fingerprint(asked)}
    return call.resources[path]


def _get(call: Call) -> Body:
    return call.google.get(call.path)


def _patch(call: Call) -> Body:
    call.resources[call.path] = merged(_get(call), call.body.get("serviceAccount", call.body))
    return call.resources[call.path]


def _delete(call: Call) -> Body:
    _get(call)
    del call.resources[call.path]
    call.resources.pop(_policy(call) if call.path.startswith("b/") else "", None)
    return {}


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
    call.google.refuse_second(path, "The requested bucket name is not available.", "conflict")
    refuse(against(call.google, path, call.body), "invalid")
    call.resources[path] = {
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
    return call.resources[path]


def _get_policy(call: Call) -> Body:
    """A bucket's project has it from the beginning: which roles is a guess; a policy without any is none."""
    owners = {"role": "roles/storage.legacyBucketOwner", "members": ["projectEditor:p", "projectOwner:p"]}
    first = {"bindings": [owners]} if call.path.startswith("b/") else {}
    return call.resources.get(_policy(call), {"version": 1, **first, "etag": fingerprint(None)})


def _set_policy(call: Call) -> Body:
    """A policy is written whole, by whoever read it last."""
    policy: Mapping[str, Any] = call.body.get("policy", call.body)
    if policy.get("etag") and policy["etag"] != _get_policy(call)["etag"]:
        message = "There were concurrent policy changes. Please retry the whole read-modify-write."
        raise ApiError(409, "aborted", message)
    bindings = [each for each in policy.get("bindings") or () if each.get("members")]
    for each in bindings:
        for member in each["members"]:
            _exists(call, member)
    after = {"version": 1, "bindings": bindings, "etag": fingerprint([bindings, call.google.number()])}
    if bindings:
        call.resources[_policy(call)] = after
    else:
        call.resources.pop(_policy(call), None)
    return after


def _exists(call: Call, member: str) -> None:
    """Raises ``ApiError`` for an account of this project that there is not."""
    email = member.partition(":")[2]
    path = f"projects/{call.project}/serviceAccounts/{email}"
    ours = member.startswith("serviceAccount:") and email.endswith(f"@{call.project}.iam.gserviceaccount.com")
    if ours and path not in call.resources:
        raise ApiError(400, "badRequest", f"Service account {email} does not exist.")


def _policy(call: Call) -> str:
    return f"{call.path}/iamPolicy" if call.path.startswith("b/") else f"projects/{call.project}/iamPolicy"


HANDLERS: Mapping[str, Handler] = {
    "iam.projects.serviceAccounts.create": _create_account,
    "iam.projects.serviceAccounts.get": _get,
    "iam.projects.serviceAccounts.patch": _patch,
    "iam.projects.serviceAccounts.delete": _delete,
    # A quota without limits: a project's are its own.
    "cloudquotas.projects.locations.services.quotaInfos.get": lambda call: {
        "name": call.path,
        "quotaId": call.path.rpartition("/")[2],
        "dimensionsInfos": [],
    },
    "cloudresourcemanager.projects.get": _get_project,
    "cloudresourcemanager.projects.getIamPolicy": _get_policy,
    "cloudresourcemanager.projects.setIamPolicy": _set_policy,
    "storage.buckets.insert": _create_bucket,
    "storage.buckets.get": _get,
    "storage.buckets.patch": _patch,
    "storage.buckets.delete": _delete,
    "storage.buckets.getIamPolicy": _get_policy,
    "storage.buckets.setIamPolicy": _set_policy,
    "storage.objects.list": lambda call: {"kind": "storage#objects"},
}
