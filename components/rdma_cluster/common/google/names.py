"""Names and labels of Google Cloud, by their form. Only Google knows which projects, zones and networks exist."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from pulumi_offline.unknowns import known
from ..tags import TagForm

# https://docs.cloud.google.com/resource-manager/docs/creating-managing-projects; a domain may stand before it.
_PROJECT = re.compile(r"([a-z][-a-z0-9.]*[a-z0-9]:)?[a-z][-a-z0-9]{4,28}[a-z0-9]")
# An AI zone is us-central1-ai1a: docs.cloud.google.com/compute/docs/regions-zones/ai-zones (2026-11-23).
_ZONE = re.compile(r"[a-z]+-[a-z]+\d+-(ai\d+)?[a-z]+", re.ASCII)
NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
NAME_WORDS = "lower-case letters, digits and hyphens, a letter first and no hyphen last"
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
"""What Google takes as labels of resources, which its bills show."""


@frozen
class Place:
    """Where the resources of a component are."""

    project: str
    zone: str
    region: str
    """The zone's region; empty where the zone's form is wrong, which is an error already."""


def place_of(args: Mapping[str, Any], errors: ErrorList) -> Place:
    """The place that ``project`` and ``zone`` of a component's args name."""
    check_project(args["project"], errors.at("project"))
    zone = args["zone"]
    region = zone.rpartition("-")[0] if _ZONE.fullmatch(zone) else ""
    if not region:
        errors.at("zone").add(f"got {zone!r}, which has no zone's form; write e.g. us-west8-c")
    return Place(args["project"], zone, region)


def check_project(project: str, errors: ErrorList) -> None:
    """Refuse a project id of another form; an encrypted id cannot be checked here."""
    if not project:
        errors.add("empty; name the project's id, e.g. my-project")
    elif known(project) and not _PROJECT.fullmatch(project):
        errors.add(
            f"got {project!r}; a project's id is 6 to 30 lower-case letters, digits and hyphens, a letter first and no "
            "hyphen last"
        )


def check_name(name: str, longest: int, errors: ErrorList) -> None:
    """Refuse a name that Google takes for no cluster, pool, policy or machine."""
    if not NAME.fullmatch(name) or len(name) > longest:
        errors.add(f"got {name!r}; Google wants 1 to {longest} {NAME_WORDS}")


def check_linked(
    resources: Mapping[str, Any], errors: ErrorList, keys: Sequence[str] = ("network", "subnetwork")
) -> None:
    """Refuse a name of an existing resource that has no name's form, alone or last in a path.

    An output of another resource is not checked.
    """
    for key in keys:
        value = resources[key]
        if isinstance(value, str) and known(value) and not NAME.fullmatch(value.rpartition("/")[2]):
            errors.at(key).add(f"got {value!r}; write its name: {NAME_WORDS}")
