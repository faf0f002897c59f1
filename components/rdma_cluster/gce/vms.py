"""Plain GPU machines that set themselves up for GPUDirect-TCPX, and prove it."""

from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_gcp as gcp
from pulumi_offline.frozen import frozen
from ..base.args import Input, Link
from ..base.key_docs import with_keys
from ..catalog.gce_image import CONTAINER_IMAGES
from ..catalog.machine import Capacity
from ..common.google.resources import RESERVATION_KEY
from ..component.frame import Opts, PlannedComponent, Shown, behind, each_of, inputs, outputs, plan_args
from ..component.outputs import DockerWorkload, PoolProof
from .plan.capacity import PROVISIONING
from .plan.machine_config import container_words, digest, machine_images
from .plan.network import GceNic
from .plan.vms import BOOT_DISK_GB, GceGpuVmsArgs, VmsPlan, plan_vms
from .verdict import proof_of

_OF_A_STOPPED_MACHINE = ("machineType", "networkInterfaces", "resourcePolicies", "scheduling", "serviceAccount")


@frozen
class VmsLinks:
    """The networks and the account of the machines of a pool."""

    networks: Input[list[GceNic]]
    """A network for each NIC, eth0's first, then the rails' in order."""
    service_account: Link | None
    """Service account of the machines; ``None`` is the project's compute account."""
    after: Sequence[pulumi.Resource] = ()
    """What the machines wait for besides their networks: NAT and the rights of their account."""


@with_keys
class GceGpuVms(PlannedComponent[VmsPlan, VmsLinks]):
    """GPU machines of one type with a NIC on every network in order, and no public address."""

    machines: list[gcp.compute.Instance]
    """The machines, for others to depend on."""
    workload: pulumi.Output[DockerWorkload]
    """Arguments of ``docker run`` on them; each machine has the same in ``/etc/rdma-cluster/container``."""
    proof: pulumi.Output[PoolProof]
    """Whether the fabric is proven, and by what; `up` waits for it, and ends with the verdict where it failed."""

    def __init__(self, name: str, args: GceGpuVmsArgs, opts: Opts = None):
        args, plan = plan_args(GceGpuVmsArgs, plan_vms, args, None, name)
        links = VmsLinks(args["networks"], args.get("service_account"))
        self._make(name, plan, links, inputs(GceGpuVmsArgs, args), opts)

    def _make(self, name: str, plan: VmsPlan, links: VmsLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:GceGpuVms", name, shown, opts)
        policy = None
        if plan.compact:
            policy = gcp.compute.ResourcePolicy(
                name,
                project=plan.place.project,
                region=plan.place.region,
                group_placement_policy={"collocation": "COLLOCATED"},
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.machines = [self._machine(f"{name}-{index}", index, plan, links, policy) for index in range(plan.nodes)]
        self.proof = proof_of(self.machines, plan, self)
        image = plan.fabric.acceptance.tests[0].image
        workload = DockerWorkload(docker=container_words(plan.start), image=image)
        self.workload = behind(workload, self.machines).apply(self._proven)
        self.register_outputs(outputs(self))

    async def _proven(self, known: DockerWorkload) -> DockerWorkload:
        """What is known in a preview, too, and comes when the proof has come."""
        await self.proof.future()
        return known

    def _machine(
        self, name: str, index: int, plan: VmsPlan, links: VmsLinks, policy: gcp.compute.ResourcePolicy | None
    ) -> gcp.compute.Instance:
        given = PROVISIONING[plan.capacity]
        minutes = f"{plan.create_minutes}m"
        return gcp.compute.Instance(
            name,
            project=plan.place.project,
            zone=plan.place.zone,
            # The machines find each other by these names.
            name=f"{plan.members}{index}",
            machine_type=plan.machine.name,
            boot_disk={"initialize_params": {"image": plan.image, "size": BOOT_DISK_GB, "type": "pd-ssd"}},
            # A gVNIC on each network, in order, none with an address of the internet.
            network_interfaces=each_of(
                links.networks,
                lambda nic: {"network": nic["network"], "subnetwork": nic["subnetwork"], "nic_type": "GVNIC"},
            ),
            scheduling={
                "on_host_maintenance": "TERMINATE",
                "automatic_restart": given.restarts,
                "provisioning_model": given.model,
                "instance_termination_action": given.ends_by,
                "max_run_duration": {"seconds": plan.run_hours * 3600} if plan.run_hours else None,
            },
            desired_status="RUNNING",
            resource_policies=policy.id if policy is not None else None,
            reservation_affinity=_reservation(plan),
            service_account={
                "email": links.service_account,
                "scopes": ["https://www.googleapis.com/auth/cloud-platform"],
            },
            metadata=_metadata(plan, index),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=list(links.after),
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


def _reservation(plan: VmsPlan) -> Any:
    """Which reservation a machine consumes; ``None`` leaves it to Google."""
    if plan.reservation is not None:
        chosen = {"key": RESERVATION_KEY, "values": [plan.reservation]}
        return {"type": "SPECIFIC_RESERVATION", "specific_reservation": chosen}
    return {"type": "NO_RESERVATION"} if plan.capacity is Capacity.FLEX_START else None


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
        metadata["nccl-acceptance-files"] = plan.order.files
        if index == 0:
            metadata |= plan.order.judge_files
    metadata[CONTAINER_IMAGES] = " ".join(dict.fromkeys(images))
    return metadata
