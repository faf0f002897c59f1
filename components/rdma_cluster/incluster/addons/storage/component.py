"""A store that many pods use at once, as Kubernetes gives it to them."""

from collections.abc import Mapping

import pulumi
import pulumi_kubernetes as k8s
from pulumi_offline.frozen import frozen
from ....base.key_docs import with_keys
from ....component.frame import Opts, PlannedComponent, Shown, behind, inputs, outputs, plan_args, with_more
from ...objects import make_namespace
from ...on_cluster import on_cluster
from .args import SharedVolumeArgs
from .plan import SharedVolumePlan, plan_shared_volume


@frozen
class VolumeLinks:
    """What identifies the store."""

    handle: pulumi.Input[str]
    """The name by which the CSI driver knows it."""
    attributes: pulumi.Input[Mapping[str, str]] | None
    """Attributes that the CSI driver takes."""


@with_keys
class SharedVolume(PlannedComponent[SharedVolumePlan, VolumeLinks]):
    """A PersistentVolume for each namespace, and the claim that is bound to it; neither holds any data."""

    claims: pulumi.Output[dict[str, str]]
    """Name of the claim, by namespace."""

    def __init__(self, name: str, args: SharedVolumeArgs, opts: Opts = None):
        args, plan = plan_args(SharedVolumeArgs, plan_shared_volume, args)
        self._make(
            name, plan, VolumeLinks(args["handle"], args.get("attributes")), inputs(SharedVolumeArgs, args), opts
        )

    # Longer than 60 lines: each resource once, in the order in which they come and go.
    def _make(self, name: str, plan: SharedVolumePlan, links: VolumeLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:SharedVolume", name, shown, opts)
        # Names are their own until they are free.
        child = with_more(on_cluster(self, []), delete_before_replace=True)
        claim = plan.claim
        made = {each: make_namespace(f"{name}-{each}", each, child) for each in plan.new_namespaces}
        self.ready: list[pulumi.Resource] = []
        for namespace, volume_name in plan.volumes.items():
            volume = k8s.core.v1.PersistentVolume(
                f"{name}-{namespace}",
                metadata={"name": volume_name},
                spec={
                    "capacity": {"storage": f"{plan.capacity_gib}Gi"},
                    "access_modes": ["ReadWriteMany"],
                    "persistent_volume_reclaim_policy": "Retain",
                    # Of no class, and for this claim alone.
                    "storage_class_name": "",
                    "claim_ref": {
                        "api_version": "v1",
                        "kind": "PersistentVolumeClaim",
                        "namespace": namespace,
                        "name": claim,
                    },
                    "mount_options": None if plan.mount_options is None else list(plan.mount_options),
                    "csi": {
                        "driver": plan.driver,
                        # Of two volumes with one handle a node mounts one.
                        "volume_handle": (
                            pulumi.Output.format("{0}{1}{2}", links.handle, plan.separator, namespace)
                            if plan.separator
                            else links.handle
                        ),
                        "fs_type": plan.fs_type,
                        "volume_attributes": links.attributes,
                    },
                },
                opts=child,
            )
            # Its namespace is made here, or comes before all of this.
            after = [made[namespace]] if namespace in made else []
            bound = k8s.core.v1.PersistentVolumeClaim(
                f"{name}-{namespace}",
                metadata={"name": claim, "namespace": namespace},
                spec={
                    "access_modes": ["ReadWriteMany"],
                    "storage_class_name": "",
                    "volume_name": volume_name,
                    # The volume says how large it is, and may grow under the claim.
                    "resources": {"requests": {"storage": "1Gi"}},
                },
                # A claim whose volume went is lost for good, whatever comes under the volume's name.
                opts=with_more(child, depends_on=[volume, *after], replace_with=[volume]),
            )
            self.ready.append(bound)
        self.claims = behind(dict.fromkeys(plan.namespaces, claim), self.ready)
        self.register_outputs(outputs(self))
