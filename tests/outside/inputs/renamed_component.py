"""A component gets another name, and an alias with the old one; its children carry its name in theirs."""

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap


class _Settings(pulumi.ComponentResource):
    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("acme:index:Settings", name, {}, opts)
        ConfigMap(
            f"{name}-map",
            metadata={"name": "settings", "namespace": "team"},
            data={"key": "value"},
            opts=pulumi.ResourceOptions(parent=self),
        )


def before() -> None:
    _Settings("old")


def after() -> None:
    _Settings("new", pulumi.ResourceOptions(aliases=[pulumi.Alias(name="old")]))
