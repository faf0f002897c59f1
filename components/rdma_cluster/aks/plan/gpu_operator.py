"""Values of NVIDIA's GPU Operator: it does what the pool's driver leaves to it, and nothing that another part does."""

from collections.abc import Mapping
from typing import Any

from ...catalog import images
from ...fabrics.rollout import GPU_TOLERATION, ROLL_AT_ONCE
from .drivers import AksDrivers, AksGpuDriver
from .pieces import feature_discovery, in_pieces

_TOOLKIT = {
    # Else it asks containerd, and writes a configuration of a version that AKS's root file does not have: containerd
    # ends, and the nodes with it (NVIDIA/gpu-operator#2646, NVIDIA/aicr#1688).
    "RUNTIME_CONFIG_SOURCE": "file",
    # A pod that sets NVIDIA_VISIBLE_DEVICES=all itself gets only the GPUs that are allocated to it.
    "ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED": "false",
    "ACCEPT_NVIDIA_VISIBLE_DEVICES_AS_VOLUME_MOUNTS": "true",
}
_WITHOUT_WORK = (
    "ccManager",
    "kataSandboxDevicePlugin",
    "migManager",
    "sandboxDevicePlugin",
    "vfioManager",
    "vgpuDeviceManager",
)
_EVICTION_LABEL = {"name": "NODE_LABEL_FOR_GPU_POD_EVICTION", "value": "nvidia.com/dra-kubelet-plugin"}


def gpu_operator_values(
    drivers: AksDrivers, tolerated: list[dict[str, str]], registries: Mapping[str, str]
) -> dict[str, Any]:
    """Values of the GPU Operator's chart. Its pods tolerate the GPU taint by themselves."""
    by_operator = drivers.gpu_driver == AksGpuDriver.OPERATOR
    operator = in_pieces(images.GPU_OPERATOR, registries)
    plugin = in_pieces(images.NVIDIA_DEVICE_PLUGIN, registries)
    eviction = {} if drivers.plugged else {"env": [_EVICTION_LABEL]}
    off = {"enabled": False}
    values: dict[str, Any] = {
        # One NFD a cluster: the Network Operator's, where that is installed.
        "nfd": {"enabled": not drivers.network_operator},
        # The node image's toolkit has registered its own runtime class where AKS installs the driver.
        "operator": {**operator, "runtimeClass": "nvidia" if by_operator else "nvidia-container-runtime"},
        "validator": operator,
        "driver": off,
        "toolkit": off,
        # GPUs have one owner: the device plugin here, or the DRA driver.
        "devicePlugin": {**plugin, "enabled": True} if drivers.plugged else off,
        "gfd": plugin,
        "dcgmExporter": in_pieces(images.DCGM_EXPORTER, registries),
        "daemonsets": {
            "rollingUpdate": {"maxUnavailable": ROLL_AT_ONCE},
            **({"tolerations": [GPU_TOLERATION, *tolerated]} if tolerated else {}),
        },
        # Whole GPUs in containers need none of these.
        **dict.fromkeys(_WITHOUT_WORK, off),
    }
    if not drivers.network_operator:
        values["node-feature-discovery"] = feature_discovery(images.NFD, tolerated, registries)
    if by_operator:
        values["driver"] = {
            **in_pieces(images.GPU_DRIVER, registries),
            "enabled": True,
            # Built by the driver's pod after the InfiniBand driver's, whose headers it needs: that of a container, so
            # that the host has none to offer.
            "rdma": {"enabled": drivers.peermem, "useHostMofed": False},
            # A new driver comes when somebody asks for it: it would evict what runs.
            "upgradePolicy": {"autoUpgrade": False},
            "manager": {**in_pieces(images.GPU_DRIVER_MANAGER, registries), **eviction},
        }
        values["toolkit"] = {
            **in_pieces(images.CONTAINER_TOOLKIT, registries),
            "enabled": True,
            "env": [{"name": key, "value": value} for key, value in _TOOLKIT.items()],
        }
    return values
