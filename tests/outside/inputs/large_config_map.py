"""A ConfigMap of scripts that is larger than the API server takes."""

from pulumi_kubernetes.core.v1 import ConfigMap


def program() -> None:
    ConfigMap("scripts", metadata={"name": "scripts", "namespace": "team"}, data={"test.js": "x" * 1_100_000})
