"""What kubeconfigs say, which graphs show as secret."""

import json
from typing import Any

from pulumi_offline import preview
from tests.clouds import CloudTests


def kubeconfig_of(cloud: CloudTests) -> dict[str, Any]:
    """The kubeconfig of a cloud's whole cluster, `c` by name, with the args that the cloud registers."""
    (name,) = [name for name in cloud.components if name.endswith("RdmaCluster")]
    component = getattr(cloud.package, name)
    texts: list[str] = []

    def program() -> None:
        component("c", cloud.components[name]).kubeconfig.apply(texts.append)

    preview(program)
    return json.loads(texts[0])
