"""What AWS takes as tags."""

from ...common.tags import TagForm

# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions (2026-11-23): 50 a resource, of
# which a subnet has two of ours. The characters are those that all services take.
_CHARACTERS = r"[\w .:/=+@-]"
AMAZON = TagForm(
    package="aws",
    inputs=("tags",),
    inside={"aws:ec2/launchTemplate:LaunchTemplate": ("tag_specifications", "tags")},
    key=rf"(?i:(?!aws:){_CHARACTERS}{{1,128}})",
    value=rf"(?i:(?!aws:){_CHARACTERS}{{0,256}})",
    words="a key is 1 to 128 and a value up to 256 letters, digits, spaces and _.:/=+-@, not beginning with aws:",
    most=48,
)
