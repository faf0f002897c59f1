"""The admission policy of a plan's locked images."""

from typing import cast

import pulumi
import pulumi_kubernetes as k8s

from ..component import waiting_for
from .plan.locked_images import NAME, LockedImages


def lock_images(name: str, plan: LockedImages, opts: pulumi.ResourceOptions) -> None:
    """Makes the policy and binds it. It holds new pods alone: what runs already stays."""
    admission = k8s.admissionregistration.v1
    policy = admission.ValidatingAdmissionPolicy(
        f"{name}-locked-images",
        metadata={"name": NAME},
        spec=cast("k8s.admissionregistration.v1.ValidatingAdmissionPolicySpecArgsDict", plan.spec),
        opts=opts,
    )
    admission.ValidatingAdmissionPolicyBinding(
        f"{name}-locked-images",
        metadata={"name": NAME},
        spec=cast("k8s.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpecArgsDict", plan.binding),
        opts=waiting_for(opts, [policy]),
    )
