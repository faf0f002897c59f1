"""What Google takes as labels of resources, which its bills show."""

from ..tags import TagForm

# https://docs.cloud.google.com/resource-manager/docs/labels-overview (2026-11-23): letters that have no upper case, or
# are in lower case; international ones, too.
_LETTER = r"[^\W\d_A-Z]"
GOOGLE = TagForm(
    package="gcp",
    inputs=("resource_labels", "labels"),
    inside={"gcp:container/nodePool:NodePool": ("node_config", "resource_labels")},
    key=rf"{_LETTER}(?:{_LETTER}|[\d_-]){{0,62}}",
    value=rf"(?:{_LETTER}|[\d_-]){{0,63}}",
    words="a key is 1 to 63 and a value up to 63 lower-case letters, digits, _ and -; a key begins with a letter",
    most=64,
)
