"""The look at AKSInfinibandSupport before the first pool is made."""

import pulumi
from pulumi.runtime import invoke_async

from .plan.features import FEATURE, NAMESPACE, wrong_state

_LOOK_UP = "azure-native:features:getSubscriptionFeatureRegistration"


def checked_feature(registered: bool, parent: pulumi.Resource) -> pulumi.Output[bool]:
    """``registered``, once the subscription's feature is known to be in that state.

    A wrong state fails the program, in a preview, too. A look-up that fails is told as a warning: whoever may make
    clusters need not be allowed to read the subscription's features.
    """

    async def look() -> bool:
        try:
            found = await invoke_async(
                _LOOK_UP,
                {"featureName": FEATURE, "providerNamespace": NAMESPACE},
                pulumi.InvokeOptions(parent=parent),
            )
            state = found["properties"]["state"]
        except Exception:
            wanted = "registered" if registered else "not registered"
            pulumi.log.warn(
                f"the subscription's feature {FEATURE} must be {wanted}, and could not be looked up; check it: "
                f"az feature show --namespace {NAMESPACE} --name {FEATURE}",
                parent,
            )
            return registered
        if reason := wrong_state(state, registered):
            raise pulumi.RunError(reason)
        return registered

    return pulumi.Output.from_input(look())
