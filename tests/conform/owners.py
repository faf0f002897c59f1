"""What clusters of users hold that nobody else may see, and where texts stand in what is read."""

from typing import Any

OWNERS = (
    "acme-llm-prod", "jane.doe", "zqxjkv", "10.98.76.54", "fe80::dead:beef:cafe", "aa:bb:cc:dd:ee:01",
    "i-0abc1234def567890", "arn:aws:iam::123456789012:role/acme", "projects/acme-4711/zones/us-east5-a",
    "ocid1.tenancy.oc1..aaaaaaaazqxjkv", "/subscriptions/8e1f0c2a-1111-2222-3333-444455556666", "acme.example.com",
    "GPU-8e1f0c2a-1111-2222-3333-444455556666", "0xa262550003a1420c", "enxaabbccddee01", "rocexaabbccfffeddee01",
    "6.8.0-acme-custom", "v1.35.2-acme.5", "registry.acme.example/mirror/dranet:v1.4.0", "node.acme.example/team",
)  # fmt: skip
"""What clusters of users hold: names of people, projects, hosts and accounts, addresses, GUIDs, builds of their own."""
DISTINCT = ("acme", "jane", "zqxjkv", "10.98.76", "dead:beef", "aa:bb:cc", "0abc1234", "123456789012", "us-east5")
DISTINCT = (*DISTINCT, "ocid1", "8e1f0c2a", "a262550003", "aabbcc", "4711", "subscriptions", "arn:")
"""Parts of these that stand nowhere else in a snapshot."""


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all texts."""
    if isinstance(value, dict):
        return [each for key, of in value.items() for each in leaves(of, (*path, key))]
    if isinstance(value, list):
        return [each for i, of in enumerate(value) for each in leaves(of, (*path, i))]
    return [path] if isinstance(value, str) else []
