"""Regions, zones and ids of AWS, by their form: which there are in an account only AWS knows."""

import re

from ...errors import ErrorList
from ...unknowns import known

_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d+", re.ASCII)
# A local zone carries its own name between region and letter: us-east-1-dfw-2a.
_ZONE = re.compile(rf"(?P<region>{_REGION.pattern})(?P<local>(-[a-z]+-\d+)?)[a-z]", re.ASCII)

# botocore 1.44.5 fsx CreateFileSystemRequest.SubnetIds, SecurityGroupIds (2026-11-21).
_ID = r"{}-[0-9a-f]{{8,}}"


def has_form(region: str) -> bool:
    """Whether it is written as a region is."""
    return bool(_REGION.fullmatch(region))


def check_region(region: str, errors: ErrorList) -> None:
    """A region's form."""
    if not has_form(region):
        errors.add(f"got {region!r}, which has no region's form; write e.g. us-east-2")


def check_zone(zone: str, *, region: str, errors: ErrorList) -> None:
    """One zone of the region. What is wrong with the region itself is an error of the region alone."""
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
    """Whether it is a local zone, which holds GPUs but no control plane."""
    match = _ZONE.fullmatch(zone)
    return bool(match and match["local"])


def check_arn(arn: object, form: re.Pattern[str], example: str, region: str, errors: ErrorList) -> None:
    """An ARN of one form, which fits the region; one that another resource will fill in is let through."""
    if not isinstance(arn, str) or not known(arn):
        return
    if form.fullmatch(arn):
        check_arn_place(arn, region, errors)
    else:
        errors.add(f"got {arn!r}; write its ARN, e.g. {example}")


def check_arn_place(arn: str, region: str, errors: ErrorList) -> None:
    """An ARN is of the region's partition, and of the region itself where it names one: a role's does not."""
    _, partition, _, of, _ = arn.split(":", 4)
    if not has_form(region):
        return
    if partition != partition_of(region):
        errors.add(f"got {arn!r}, of partition {partition}; {region} is in {partition_of(region)}")
    elif of not in ("", region):
        errors.add(f"got {arn!r}, which is in {of}; take one of {region}")


def check_id(value: object, kind: str, errors: ErrorList) -> None:
    """The id of a resource of a kind, ``subnet`` or ``sg``; one that another resource will fill in is let through."""
    if isinstance(value, str) and known(value) and not re.fullmatch(_ID.format(kind), value):
        errors.add(f"got {value!r}; write its id, e.g. {kind}-0123456789abcdef0")


def region_of(zone: str) -> str:
    """The region of a zone; empty where it has no zone's form, which is an error elsewhere."""
    match = _ZONE.fullmatch(zone)
    return match["region"] if match else ""


def partition_of(region: str) -> str:
    """The second word of every ARN in the region."""
    return {"cn": "aws-cn", "us-gov": "aws-us-gov"}.get(region.rpartition("-")[0].rpartition("-")[0], "aws")
