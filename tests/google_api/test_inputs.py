"""Inputs that `constraints/` refuses are refused in the request that the provider makes of them."""

import pytest
from pulumi_offline.constraints import Constraint, ExistingResources, stated
from tools.api.request import request_of
from tools.api.tables import tables
from tools.google_server.inputs import TOKENS, inputs_of

_OLDER = {
    "Master authorized networks must be enabled if private endpoint is enabled",
    "Controls whether to allow direct IP access",
    "cidr_blocks define up to 50 external networks that could access Kubernetes master through HTTPS",
    "cidr_block must be specified in CIDR notation",
    "Required. The account id",
}
"""Of inputs that the provider turns into the newer fields of endpoints, which the tables of `tools/api` do not; and the
id of an account, which is the end of its name in every request."""
ALONE = [
    pytest.param(collection, token, constraint, id=f"{collection}: {constraint.words[:50]}")
    for collection, token in TOKENS.items()
    for constraint in stated(token)
    if constraint.limit.refused is not None and not constraint.limit.among and constraint.words not in _OLDER
]


@pytest.mark.parametrize(("collection", "token", "constraint"), ALONE)
def test_an_example_passes_or_not_as_its_request_does(collection: str, token: str, constraint: Constraint):

    def broken(example: dict | None) -> bool:
        given = dict(example or {})
        name = given.get("name", given.get("accountId", "a-name"))
        request = request_of(tables()[token], given)
        resource = request.get("serviceAccount", request)  # in the request of an account beside its name
        inputs = inputs_of(f"projects/p/global/{collection}/{name}", resource)
        return bool(list(constraint.limit.check(inputs, ExistingResources())))

    assert not broken(dict(constraint.limit.accepted or {}))
    assert broken(dict(constraint.limit.refused or {}))
