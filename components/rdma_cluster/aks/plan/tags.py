"""What Azure takes as tags."""

from ...common.tags import TagForm

# https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations (2026-11-23): 50 a
# resource; 512 characters a name, of a storage account 128.
AZURE = TagForm(
    package="azure-native",
    inputs=("tags",),
    inside={},
    key=r"(?i:(?!microsoft|azure|windows)[^<>%&\\?/\x00-\x1f]{1,128})",
    value=r"[^\x00-\x1f]{0,256}",
    words=(
        "a key is 1 to 128 characters without < > % & \\ ? and /, not beginning with microsoft, azure or windows; a "
        "value is up to 256"
    ),
    most=50,
)
