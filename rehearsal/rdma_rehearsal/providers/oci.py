"""Oracle Cloud, simulated. Its words are unverified: see ``ErrorTexts``."""

from ..cloud import Cloud, ErrorTexts, Named

OCI = Cloud(
    package="oci",
    sdk="pulumi_oci",
    error_texts=ErrorTexts(
        exists="409-NotAuthorizedOrResourceAlreadyExists, {name} already exists",
        absent="404-NotAuthorizedOrNotFound, Authorization failed or requested resource not found: {other}",
        in_use="409-Conflict, {name} cannot be deleted: it is referenced by {other}",
        quota="400-LimitExceeded, The following service limits were exceeded for {token}: {name}",
        capacity="500-InternalError, Out of host capacity: {name}",
        timeout="work request did not succeed: timeout while waiting for state to become 'SUCCEEDED' "
        "(timeout: {other})",
        unavailable="503-ServiceUnavailable, The service is currently unavailable",
    ),
    # Display names are not unique; OCIDs are made up by the service.
    named={
        "oci:ContainerEngine/addon:Addon": Named(("clusterId", "addonName")),
        "oci:Identity/dynamicGroup:DynamicGroup": Named(("compartmentId", "name")),
        "oci:Identity/policy:Policy": Named(("compartmentId", "name")),
    },
)
