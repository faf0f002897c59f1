"""Azure's built-in roles that this library grants, by their fixed ids.

github.com/MicrosoftDocs/azure-docs built-in-roles/, 2026-11-21.
"""

NETWORK_CONTRIBUTOR = "4d97b98b-1d4f-4787-a291-c67834d212e7"
CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"
MANAGED_IDENTITY_OPERATOR = "f1a07417-d97a-45cb-824c-7a7467783830"
ACR_PULL = "7f951dda-4ed3-4680-a7ca-43fe172d538d"
STORAGE_BLOB_DATA_CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
AKS_RBAC_CLUSTER_ADMIN = "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b"


def definition(subscription: str, role: str) -> str:
    """The full id of a role, as the API hands it back: a shorter one would differ for ever."""
    return f"/subscriptions/{subscription}/providers/Microsoft.Authorization/roleDefinitions/{role}"
