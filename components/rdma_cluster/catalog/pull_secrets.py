"""Where charts and operators take the Secrets that their pods pull images with."""

from typing import Any

from rdma_agent.names import TESTS_NAMESPACE
from . import charts

# Read in the templates of each chart at its pinned version, but those of the Network Operator, which were read at
# Mellanox/network-operator@v26.7.0-rc.2, and of the Azure Lustre CSI driver, of which charts/latest was read
# (kubernetes-sigs/azurelustre-csi-driver@10a2eeb _helpers.tpl, which hands the names to its accounts); 2026-11-23.
NAME = "rdma-cluster-pull"
"""Name of the Secret with the login, in each namespace."""
FILLED_LATER = (TESTS_NAMESPACE,)
"""Namespaces of ours in which pods are made inside the cluster, too: by the prover of ``readiness``."""
_OBJECTS: dict[str, tuple[str, ...]] = {
    **{
        chart.name: ("imagePullSecrets",)
        for chart in (
            charts.NVIDIA_DRA_DRIVER,
            charts.DRANET,
            charts.AWS_DRANET,
            charts.EFA_DEVICE_PLUGIN,
            charts.NVIDIA_DEVICE_PLUGIN,
            charts.LEADER_WORKER_SET,
        )
    },
    charts.KUEUE.name: ("controllerManager.imagePullSecrets",),
    charts.JOBSET.name: ("image.pullSecrets",),
    charts.GPU_OPERATOR.name: ("node-feature-discovery.imagePullSecrets",),
    charts.NETWORK_OPERATOR.name: ("node-feature-discovery.imagePullSecrets",),
}
"""By chart, the values that are lists of ``{name: SECRET}``, as a pod's spec has them."""
_GPU_PARTS = ("operator", "validator", "driver", "toolkit", "devicePlugin", "dcgmExporter", "gfd")
_NAMES: dict[str, tuple[str, ...]] = {
    charts.GPU_OPERATOR.name: tuple(f"{part}.imagePullSecrets" for part in _GPU_PARTS),
    charts.NETWORK_OPERATOR.name: ("operator.imagePullSecrets",),
    charts.AZURE_LUSTRE.name: ("imagePullSecrets",),
}
"""By chart, the values that are lists of names alone."""

POLICY_PARTS = ("ofedDriver", "rdmaSharedDevicePlugin", "sriovDevicePlugin")
"""Parts of a NicClusterPolicy whose pods the Network Operator makes; each takes ``imagePullSecrets``, names alone
(Mellanox/network-operator@v26.7.0-rc.2 manifests; 2026-11-23)."""
POLICY_NAMESPACE = charts.NETWORK_OPERATOR.name
"""Where it makes them: in its own namespace."""


def chart_values(chart: str, secret: str) -> dict[str, Any]:
    """Values with which the pods of ``chart`` pull images by the Secret ``secret``; none where it takes none."""
    values: dict[str, Any] = {}
    forms: tuple[tuple[dict[str, tuple[str, ...]], Any], ...] = ((_OBJECTS, {"name": secret}), (_NAMES, secret))
    for paths, item in forms:
        for path in paths.get(chart, ()):
            *above, last = path.split(".")
            holder = values
            for key in above:
                holder = holder.setdefault(key, {})
            holder[last] = [item]
    return values
