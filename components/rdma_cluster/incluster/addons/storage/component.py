"""A store that many pods use at once, as Kubernetes gives it to them."""

import pulumi
import pulumi_kubernetes as k8s

from ....component import Opts, inputs, outputs, plan_args
from ....key_docs import with_keys
from ...on_cluster import on_cluster
from ...plan.claim_templates import new_namespaces
from .args import SharedVolumeArgs
from .plan import CLAIM, plan_shared_volume, volumes


@with_keys
class SharedVolume(pulumi.ComponentResource):
    """A PersistentVolume for each namespace, and the claim that is bound to it; neither holds any data."""

    claims: pulumi.Output[dict[str, str]]
    """Name of the claim, by namespace."""

    # Longer than 60 lines: each resource once, in the order in which they come and go.
    def __init__(self, name: str, args: SharedVolumeArgs, opts: Opts = None, *, plan: SharedVolumeArgs | None = None):
        args, plan = plan_args(SharedVolumeArgs, plan_shared_volume, args, plan)
        super().__init__("rdma-cluster:index:SharedVolume", name, inputs(SharedVolumeArgs, args), opts)
        # Names are their own until they are free.
        again = pulumi.ResourceOptions(delete_before_replace=True)
        child = pulumi.ResourceOptions.merge(on_cluster(self, args), again)
        claim, separator = plan.get("claim", CLAIM), plan.get("separator", ":")
        new = new_namespaces(plan["namespaces"]) if plan.get("create_namespaces") else []
        made = {each: k8s.core.v1.Namespace(f"{name}-{each}", metadata={"name": each}, opts=child) for each in new}
        for namespace, volume_name in volumes(plan).items():
            volume = k8s.core.v1.PersistentVolume(
                f"{name}-{namespace}",
                metadata={"name": volume_name},
                spec={
                    "capacity": {"storage": f"{plan.get('capacity_gib', 1)}Gi"},
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
                    "mount_options": plan.get("mount_options"),
                    "csi": {
                        "driver": plan["driver"],
                        # Of two volumes with one handle a node mounts one.
                        "volume_handle": (
                            pulumi.Output.format("{0}{1}{2}", plan["handle"], separator, namespace)
                            if separator
                            else plan["handle"]
                        ),
                        "fs_type": plan.get("fs_type"),
                        "volume_attributes": plan.get("attributes"),
                    },
                },
                opts=child,
            )
            # Its namespace is made here, or comes before all of this.
            after = [made[namespace]] if namespace in made else []
            k8s.core.v1.PersistentVolumeClaim(
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
                opts=pulumi.ResourceOptions.merge(
                    child, pulumi.ResourceOptions(depends_on=[volume, *after], replace_with=[volume])
                ),
            )
        self.claims = pulumi.Output.from_input(dict.fromkeys(plan["namespaces"], claim))
        self.register_outputs(outputs(self))
