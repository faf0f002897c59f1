"""Cloud Quotas, of which a stack looks one thing up. It knows no limit: a project's are its own."""

from collections.abc import Mapping
from typing import Any

from .call import Call
from .world import Body

QUOTAS: Mapping[str, Any] = {
    # There is no discovery document of it. The address is the provider's: terraform-provider-google-beta@39d359d
    # google-beta/services/cloudquotas/data_source_google_cloud_quotas_quota_info.go, read on 2026-11-23.
    "revision": "the provider's own address",
    "servicePath": "",
    "parameters": {"alt": {"location": "query"}, "prettyPrint": {"location": "query"}},
    "schemas": {},
    "methods": {
        "get": {
            "id": "cloudquotas.projects.locations.services.quotaInfos.get",
            "httpMethod": "GET",
            "path": "v1/{+name}",
            "parameters": {
                "name": {
                    "location": "path",
                    "pattern": "^projects/[^/]+/locations/global/services/[^/]+/quotaInfos/[^/]+$",
                }
            },
        }
    },
}


def answer(call: Call) -> Body:
    """A quota without limits."""
    return {"name": call.path, "quotaId": call.path.rpartition("/")[2], "dimensionsInfos": []}
