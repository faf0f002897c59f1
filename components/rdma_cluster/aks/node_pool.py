"""A GPU node pool on AKS: one scale set, and with it one InfiniBand fabric."""

import pulumi
from pulumi.runtime import invoke_async
from pulumi_azure_native import containerservice
from ..base.key_docs import with_keys
from ..catalog.machine import Capacity
from ..common.pools import GPU_TAINT, update_minutes
from ..component.frame import Opts, PlannedComponent, Shown, outputs
from .plan.features import FEATURE, NAMESPACE, AksFeatureCheck, wrong_state
from .plan.gpu_pools import listed_pool
from .plan.node_pool import AksGpuNodePoolArgs, AksNodePoolPlan, AksPoolLinks, plan_node_pool

# AKS refuses to change these on a pool, and azure-native replaces one for its size only (pulumi-azure-native@1b7112a
# provider/pkg/gen/replacement.go): we name them to it.
_DECIDED_ONCE = (
    "availabilityZones",
    "capacityReservationGroupID",
    "gpuProfile",
    "osDiskSizeGB",
    "osDiskType",
    "scaleSetPriority",
    "vnetSubnetID",
)
_EFFECTS = {"NO_SCHEDULE": "NoSchedule"}
_LOOK_UP = "azure-native:features:getSubscriptionFeatureRegistration"


@with_keys
class AksGpuNodePool(PlannedComponent[AksNodePoolPlan, AksPoolLinks]):
    """GPU nodes of one size in one scale set."""

    name: pulumi.Output[str]
    """Name of the node pool."""
    node_pool: containerservice.AgentPool
    """The node pool, for others to depend on."""

    def __init__(self, name: str, args: AksGpuNodePoolArgs, opts: Opts = None):
        self._plan_alone(name, AksGpuNodePoolArgs, plan_node_pool, args, opts)

    def _make(self, name: str, plan: AksNodePoolPlan, links: AksPoolLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:AksGpuNodePool", name, shown, opts)
        size: pulumi.Input[str] = plan.machine.name
        if plan.infiniband_feature == AksFeatureCheck.LOOK_UP:
            # Through the size: a pool is never asked for while the feature is not as its machine needs it.
            checked = _checked_feature(plan.machine.infiniband_feature, self)
            size = checked.apply(lambda _: plan.machine.name)
        spot = plan.capacity is Capacity.SPOT
        key, value, effect = GPU_TAINT
        self.node_pool = containerservice.AgentPool(
            name,
            resource_group_name=links["resource_group"],
            resource_name_=links["cluster"],
            agent_pool_name=plan.name,
            vm_size=size,
            count=plan.nodes,
            mode="User",
            # Virtual machines of their own, and those of node auto-provisioning, share no fabric.
            type="VirtualMachineScaleSets",
            os_type="Linux",
            os_sku=plan.os_sku,
            os_disk_type=plan.os_disk.value,
            os_disk_size_gb=plan.os_disk_gb,
            kubelet_disk_type="OS",
            gpu_profile={"driver": plan.gpu_driver.in_pool},
            availability_zones=[plan.zone] if plan.zone else None,
            vnet_subnet_id=links["subnet"],
            enable_node_public_ip=False,
            capacity_reservation_group_id=plan.reservation_group,
            scale_set_priority="Spot" if spot else "Regular",
            scale_set_eviction_policy="Delete" if spot else None,
            spot_max_price=-1 if spot else None,
            # Fixed: an autoscaler knows nothing of claims, and a pool at 0 gives its placement back.
            enable_auto_scaling=False,
            scale_down_mode="Delete",
            # A node goes before its successor comes: there is no quota for both, and it might land on another fabric.
            upgrade_settings={"max_surge": "0", "max_unavailable": str(plan.max_unavailable)},
            orchestrator_version=plan.node_version,
            node_labels=plan.labels,
            node_taints=[f"{key}={value}:{_EFFECTS[effect]}"],
            # Not the start-up taint: AKS sets its pools' taints again and lets nobody else take one away
            # (learn.microsoft.com/azure/aks/use-node-taints; Azure/AKS#2934), and those that are set once,
            # nodeInitializationTaints, are in preview versions of the API alone, which this SDK has not (2026-11-23).
            # The prover taints a node when it sees it, minutes before there are devices to ask for.
            opts=pulumi.ResourceOptions(
                parent=self,
                # Its name and its nodes are taken until it is gone: a second pool beside it could never start.
                delete_before_replace=True,
                replace_on_changes=list(_DECIDED_ONCE),
                custom_timeouts=pulumi.CustomTimeouts(
                    create=f"{plan.create_minutes}m",
                    update=f"{update_minutes(plan.nodes, plan.max_unavailable)}m",
                    delete="60m",
                ),
            ),
        )
        self.name = self.node_pool.name.apply(str)
        self.listed = listed_pool(plan)
        """The pool as ``NcclAcceptance`` and its siblings list it; its fingerprint follows the nodes."""
        self.register_outputs(outputs(self))


def _checked_feature(registered: bool, parent: pulumi.Resource) -> pulumi.Output[None]:
    """An output that waits until the subscription's feature is known to be ``registered``, or not to be.

    A wrong state fails the program, in a preview, too. A look-up that fails is a warning: whoever may make clusters
    need not be allowed to read the subscription's features.
    """

    async def look() -> None:
        try:
            registration = await invoke_async(
                _LOOK_UP, {"featureName": FEATURE, "providerNamespace": NAMESPACE}, pulumi.InvokeOptions(parent=parent)
            )
            state = registration["properties"]["state"]
        except Exception:
            wanted = "registered" if registered else "not registered"
            pulumi.log.warn(
                f"the subscription's feature {FEATURE} must be {wanted}, and could not be looked up; check it: "
                f"az feature show --namespace {NAMESPACE} --name {FEATURE}",
                parent,
            )
            return
        if reason := wrong_state(state, registered):
            raise pulumi.RunError(reason)

    return pulumi.Output.from_input(look())
