"""What kubeconfigs say, which graphs show as secret."""

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pulumi
from pulumi_offline import preview
from tests.clouds import CloudTests


def kubeconfig_of(cloud: CloudTests, config: Mapping[str, Any] | None = None, **provider: Any) -> dict[str, Any]:
    """The kubeconfig of a cloud's whole cluster, `c` by name, with the args that the cloud registers.

    `config` is the stack's, `provider` what a provider of the user's own is made of.
    """
    (name,) = [name for name in cloud.components if name.endswith("RdmaCluster")]
    component = getattr(cloud.package, name)
    texts: list[str] = []

    def program() -> None:
        own = import_module(cloud.sdk).Provider("own", **provider) if provider else None
        opts = pulumi.ResourceOptions(provider=own)
        component("c", cloud.components[name], opts).kubeconfig.apply(texts.append)

    preview(program, config=config)
    return json.loads(texts[0])
