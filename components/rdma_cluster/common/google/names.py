"""Names of Google Cloud, by their form: projects, zones, clusters, pools. Only Google knows which exist."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import ErrorList
from ...frozen import frozen
from ...unknowns import known

# https://docs.cloud.google.com/resource-manager/docs/creating-managing-projects; a domain may stand before it.
_PROJECT = re.compile(r"([a-z][-a-z0-9.]*[a-z0-9]:)?[a-z][-a-z0-9]{4,28}[a-z0-9]")
# An AI zone is us-central1-ai1a: docs.cloud.google.com/compute/docs/regions-zones/ai-zones (2026-11-23).
_ZONE = re.compile(r"[a-z]+-[a-z]+\d+-(ai\d+)?[a-z]+", re.ASCII)
NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
NAME_WORDS = "lower-case letters, digits and hyphens, a letter first and no hyphen last"


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
    """A project's id has its form; an encrypted id cannot be checked here."""
    if not project:
        errors.add("empty; name the project's id, e.g. my-project")
    elif known(project) and not _PROJECT.fullmatch(project):
        errors.add(
            f"got {project!r}; a project's id is 6 to 30 lower-case letters, digits and hyphens, a letter first and no "
            "hyphen last"
        )


def check_name(name: str, longest: int, errors: ErrorList) -> None:
    """Google's rule for names of clusters, pools, policies and machines."""
    if not NAME.fullmatch(name) or len(name) > longest:
        errors.add(f"got {name!r}; Google wants 1 to {longest} {NAME_WORDS}")


def check_linked(
    resources: Mapping[str, Any], errors: ErrorList, keys: Sequence[str] = ("network", "subnetwork")
) -> None:
    """``keys`` hold names of existing resources, alone or last in a path; an output of another is not checked."""
    for key in keys:
        value = resources[key]
        if isinstance(value, str) and known(value) and not NAME.fullmatch(value.rpartition("/")[2]):
            errors.at(key).add(f"got {value!r}; write its name: {NAME_WORDS}")
