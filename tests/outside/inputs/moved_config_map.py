"""A ConfigMap gets a parent, and an alias that says it had none."""

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap, Namespace


def before() -> None:
    Namespace("team", metadata={"name": "team"})
    ConfigMap("settings", metadata={"name": "settings", "namespace": "team"}, data={"key": "value"})


def after() -> None:
    parent = Namespace("team", metadata={"name": "team"})
    options = pulumi.ResourceOptions(parent=parent, aliases=[pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE)])
    ConfigMap("settings", metadata={"name": "settings", "namespace": "team"}, data={"key": "value"}, opts=options)
