"""An AKS cluster for SkyPilot 0.14.1, which knows no network of AKS: its tasks must ask for the NICs themselves."""

from typing import Any

from ...incluster.plan.workload import Workload

_OWN = "/dev/shm"
"""Mount path that SkyPilot adds by itself."""

SKY_WARNINGS = (
    "skypilot: SkyPilot finds no network on AKS, and network_tier: best runs on TCP without a word; write the stack's "
    "output skypilot as the config of a task that takes whole nodes, in the namespace of the claims key",
)


def sky_configuration(workload: Workload) -> dict[str, Any]:
    """A task's ``config``: what a pod adds on the pool, but for what SkyPilot adds itself.

    It merges lists by name, volume mounts by path, and a container without a name into the pod's own.
    """
    adds = workload.pod_patch()
    mounts = [each for each in adds["volumeMounts"] if each["mountPath"] != _OWN]
    mounted = {each["name"] for each in mounts}
    nics = {key: count for key, count in adds["resources"]["limits"].items() if key != "nvidia.com/gpu"}
    container = {
        "env": adds["env"],
        "resources": {"limits": nics, "requests": nics},
        "securityContext": adds["securityContext"],
        "volumeMounts": mounts,
    }
    volumes = [each for each in adds["volumes"] if each["name"] in mounted]
    return {"kubernetes": {"pod_config": {"spec": {"containers": [container], "volumes": volumes}}}}
