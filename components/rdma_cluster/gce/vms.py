"""Plain GPU machines that set themselves up for GPUDirect-TCPX, and prove it."""

from collections.abc import Sequence

import pulumi
import pulumi_gcp as gcp

from ..catalog.gce_image import CONTAINER_IMAGES
from ..catalog.machine import Capacity
from ..common.google.resources import RESERVATION_KEY
from ..component import Opts, each_of, inputs, outputs, plan_args
from ..key_docs import with_keys
from ..shown import DockerWorkload, PoolProof
from .plan.machine_config import container_words, digest, machine_images
from .plan.vms import BOOT_DISK_GB, GceGpuVmsArgs, VmsPlan, plan_vms
from .verdict import proof_of

_OF_A_STOPPED_MACHINE = ("machineType", "networkInterfaces", "resourcePolicies", "scheduling", "serviceAccount")


@with_keys
class GceGpuVms(pulumi.ComponentResource):
    """GPU machines of one type with a NIC on every network in order, and no public address."""

    machines: list[gcp.compute.Instance]
    """The machines, for others to depend on."""
    workload: pulumi.Output[DockerWorkload]
    """Arguments of ``docker run`` on them; each machine has the same in ``/etc/rdma-cluster/container``."""
    proof: pulumi.Output[PoolProof]
    """Whether the fabric is proven, and by what; `up` waits for it, and ends with the verdict where it failed."""

    def __init__(
        self,
        name: str,
        args: GceGpuVmsArgs,
        opts: Opts = None,
        *,
        plan: VmsPlan | None = None,
        after: Sequence[pulumi.Resource] = (),
    ):
        """``after`` is what the machines wait for besides their networks: NAT and the rights of their account."""
        args, plan = plan_args(GceGpuVmsArgs, plan_vms, args, plan, name)
        super().__init__("rdma-cluster:index:GceGpuVms", name, inputs(GceGpuVmsArgs, args), opts)
        policy = None
        if plan.compact:
            policy = gcp.compute.ResourcePolicy(
                name,
                project=args["project"],
                region=plan.region,
                group_placement_policy={"collocation": "COLLOCATED"},
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.machines = [
            self._machine(f"{name}-{index}", index, args, plan, policy, after) for index in range(plan.nodes)
        ]
        self.workload = pulumi.Output.from_input(
            {"docker": container_words(plan.start), "image": plan.fabric.acceptance.tests[0].image}
        )
        self.proof = proof_of(self.machines, args["project"], args["zone"], plan, self)
        self.register_outputs(outputs(self))

    def _machine(
        self,
        name: str,
        index: int,
        args: GceGpuVmsArgs,
        plan: VmsPlan,
        policy: gcp.compute.ResourcePolicy | None,
        after: Sequence[pulumi.Resource],
    ) -> gcp.compute.Instance:
        spot = plan.capacity is Capacity.SPOT
        minutes = f"{plan.create_minutes}m"
        return gcp.compute.Instance(
            name,
            project=args["project"],
            zone=args["zone"],
            # The machines find each other by these names.
            name=f"{plan.members}{index}",
            machine_type=plan.machine.name,
            boot_disk={"initialize_params": {"image": plan.image, "size": BOOT_DISK_GB, "type": "pd-ssd"}},
            # A gVNIC on each network, in order, none with an address of the internet.
            network_interfaces=each_of(
                args["networks"],
                lambda nic: {"network": nic["network"], "subnetwork": nic["subnetwork"], "nic_type": "GVNIC"},
            ),
            scheduling={
                "on_host_maintenance": "TERMINATE",
                "automatic_restart": not spot,
                "provisioning_model": "SPOT" if spot else "STANDARD",
                "instance_termination_action": "STOP" if spot else None,
            },
            desired_status="RUNNING",
            resource_policies=policy.id if policy is not None else None,
            reservation_affinity={
                "type": "SPECIFIC_RESERVATION",
                "specific_reservation": {"key": RESERVATION_KEY, "values": [plan.reservation]},
            }
            if plan.reservation is not None
            else None,
            service_account={
                "email": args.get("service_account"),
                "scopes": ["https://www.googleapis.com/auth/cloud-platform"],
            },
            metadata=_metadata(plan, index),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=list(after),
                # The machine's capacity, and its name, are taken until it is gone.
                delete_before_replace=True,
                # Metadata is read at the start alone; the other properties change only on a stopped machine.
                replacement_trigger=[digest(plan.start)],
                replace_on_changes=list(_OF_A_STOPPED_MACHINE),
                # The disks that come with the machine type, which the provider reads as ours.
                ignore_changes=["scratchDisks"],
                custom_timeouts=pulumi.CustomTimeouts(create=minutes, update=minutes, delete=minutes),
            ),
        )


def _metadata(plan: VmsPlan, index: int) -> dict[str, str]:
    metadata = {
        "user-data": plan.cloud_config,
        "enable-guest-attributes": "TRUE",
        "enable-oslogin": "TRUE",
        "google-logging-enabled": "true",
        # A new system at a restart would bring another driver; it comes only with a new machine.
        "cos-update-strategy": "update_disabled",
        # Names hold inside the zone, whatever happens elsewhere.
        "VmDnsSetting": "ZonalPreferred",
    }
    images = machine_images(plan.start)
    if plan.order is not None:
        measure = plan.order.test.measure
        images = [*images, measure.image.image, measure.judge_image]
        metadata["nccl-acceptance"] = plan.order.order
        metadata["nccl-acceptance-script"] = plan.order.script
        metadata["nccl-acceptance-files"] = plan.order.member_files if index else plan.order.lead_files
    metadata[CONTAINER_IMAGES] = " ".join(dict.fromkeys(images))
    return metadata
