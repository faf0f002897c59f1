"""Regions, zones, ids, names and tags of AWS, by their form: which there are in an account only AWS knows."""

import re

from pulumi_offline.errors import ErrorList
from pulumi_offline.unknowns import known
from ...common.names import check_ends_as_label
from ...common.tags import TagForm

_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d+", re.ASCII)
# A local zone carries its own name between region and letter: us-east-1-dfw-2a.
_ZONE = re.compile(rf"(?P<region>{_REGION.pattern})(?P<local>(-[a-z]+-\d+)?)[a-z]", re.ASCII)

# botocore 1.44.5 fsx CreateFileSystemRequest.SubnetIds, SecurityGroupIds (2026-11-21).
_ID = r"{}-[0-9a-f]{{8,}}"

# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions (2026-11-23): 50 a resource, of
# which a subnet has two of ours. The characters are those that all services take.
_IN_TAGS = r"[\w .:/=+@-]"
AMAZON = TagForm(
    package="aws",
    inputs=("tags",),
    inside={"aws:ec2/launchTemplate:LaunchTemplate": ("tag_specifications", "tags")},
    key=rf"(?i:(?!aws:){_IN_TAGS}{{1,128}})",
    value=rf"(?i:(?!aws:){_IN_TAGS}{{0,256}})",
    words="a key is 1 to 128 and a value up to 256 letters, digits, spaces and _.:/=+-@, not beginning with aws:",
    most=48,
)
CLUSTER_NAME = re.compile(r"[0-9A-Za-z][-_0-9A-Za-z]*")
NAME_WORDS = "letters, digits, hyphens and underscores, a letter or digit first"


def has_form(region: str) -> bool:
    """Whether a text has the form of a region."""
    return bool(_REGION.fullmatch(region))


def check_region(region: str, errors: ErrorList) -> None:
    """Check the form of a region."""
    if not has_form(region):
        errors.add(f"got {region!r}, which has no region's form; write e.g. us-east-2")


def check_zone(zone: str, *, region: str, errors: ErrorList) -> None:
    """Check that there is one zone, and that it is in the region. A wrong region adds no error here."""
    if re.search(r"[,; ]", zone):
        errors.add(
            f"got {zone!r}, more than one zone; EFA traffic does not leave a zone, so all GPUs are in one: "
            "write e.g. us-east-2b"
        )
    elif (match := _ZONE.fullmatch(zone)) is None:
        errors.add(f"got {zone!r}, which has no zone's form; write e.g. us-east-2b")
    elif match["region"] != region and has_form(region):
        errors.add(f"got {zone}, which is not in {region}; take a zone of {region} or change the region")


def is_local(zone: str) -> bool:
    """Whether a zone is a local one, which holds GPUs but no control plane."""
    match = _ZONE.fullmatch(zone)
    return bool(match and match["local"])


def check_arn(arn: object, form: re.Pattern[str], example: str, region: str, errors: ErrorList) -> None:
    """Check that an ARN has the form and fits the region; one that is known only later passes."""
    if not isinstance(arn, str) or not known(arn):
        return
    if form.fullmatch(arn):
        check_arn_place(arn, region, errors)
    else:
        errors.add(f"got {arn!r}; write its ARN, e.g. {example}")


def check_arn_place(arn: str, region: str, errors: ErrorList) -> None:
    """Check that an ARN is of the region's partition, and of the region where it names one: a role's does not."""
    _, partition, _, of, _ = arn.split(":", 4)
    if not has_form(region):
        return
    if partition != partition_of(region):
        errors.add(f"got {arn!r}, of partition {partition}; {region} is in {partition_of(region)}")
    elif of not in ("", region):
        errors.add(f"got {arn!r}, which is in {of}; take one of {region}")


def check_id(value: object, kind: str, errors: ErrorList) -> None:
    """Check the id of a resource of a kind, ``subnet`` or ``sg``; one that is known only later passes."""
    if isinstance(value, str) and known(value) and not re.fullmatch(_ID.format(kind), value):
        errors.add(f"got {value!r}; write its id, e.g. {kind}-0123456789abcdef0")


def check_name(name: str, longest: int, errors: ErrorList) -> None:
    """Check a name by EKS's rule for clusters and node groups."""
    if not CLUSTER_NAME.fullmatch(name) or len(name) > longest:
        errors.add(f"got {name!r}; EKS wants 1 to {longest} {NAME_WORDS}")


def check_group_name(name: str, errors: ErrorList) -> None:
    """Check the name of a node group, which is also the value of a label of its nodes."""
    check_name(name, 63, errors)
    check_ends_as_label(name, errors)


def region_of(zone: str) -> str:
    """The region of a zone; empty where it has no zone's form, which is an error elsewhere."""
    match = _ZONE.fullmatch(zone)
    return match["region"] if match else ""


def partition_of(region: str) -> str:
    """The second word of every ARN in the region."""
    return {"cn": "aws-cn", "us-gov": "aws-us-gov"}.get(region.rpartition("-")[0].rpartition("-")[0], "aws")
