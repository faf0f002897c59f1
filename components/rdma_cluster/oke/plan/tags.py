"""What Oracle takes as free-form tags."""

from ...common.tags import TagForm

# Oracle's page on tags tells that keys and values have a limit of length, not verified here, so none is held to one.
# https://docs.oracle.com/iaas/Content/Tagging/Concepts/understandingfreeformtags.htm (2026-11-23)
_LAUNCH = ("instance_details", "launch_details", "freeform_tags")
ORACLE = TagForm(
    package="oci",
    inputs=("freeform_tags",),
    inside={
        "oci:ContainerEngine/nodePool:NodePool": ("node_config_details", "freeform_tags"),
        "oci:Core/instanceConfiguration:InstanceConfiguration": _LAUNCH,
    },
    key=r"[^\x00-\x1f]+",
    value=r"[^\x00-\x1f]*",
    words="a free-form tag has a key, and no control characters",
    most=None,
)
