"""Nodes that register with the start-up taint, which is taken away once their fabric is proven."""

from dataclasses import replace

from ...common.pools import GPU_TAINT, STARTUP_TAINT
from .cloud_init import FirstBoot, digest, user_data
from .node_pool import OkeNodePoolPlan, OkePool


def holding(pool: OkeNodePoolPlan, args: OkePool) -> OkeNodePoolPlan:
    """The same pool, whose nodes register with the start-up taint. OKE's pools have no taints: kubelet sets them, of
    which the last flag counts alone (kubernetes/kubernetes pkg/util/flag, RegisterWithTaintsVar.Set, 2026-11-23)."""
    flag, given = "--register-with-taints=", args.get("kubelet_args", [])
    own = [each.removeprefix(flag) for each in given if each.startswith(flag)]
    ours = [f"{key}={value}:NoSchedule" for key, value, _ in (GPU_TAINT, STARTUP_TAINT)]
    others = [each for each in given if not each.startswith(flag)]
    boot = FirstBoot(
        pool.version, mask_imex=pool.machine.is_rack, kubelet_args=(*others, flag + ",".join((*own, *ours)))
    )
    return replace(pool, held=True, user_data=user_data(boot), boot_digest=digest(boot))
