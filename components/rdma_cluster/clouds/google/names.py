"""Names of Google Cloud, by their form: projects, zones, clusters, pools. Which there are only Google knows."""

import re

from ...faults import Faults
from ..names import ENCRYPTED

# https://docs.cloud.google.com/resource-manager/docs/creating-managing-projects; a domain may stand before it.
_PROJECT = re.compile(r"([a-z][-a-z0-9.]*[a-z0-9]:)?[a-z][-a-z0-9]{4,28}[a-z0-9]")
_ZONE = re.compile(r"[a-z]+-[a-z]+\d+-[a-z]+", re.ASCII)
NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
NAME_WORDS = "lower-case letters, digits and hyphens, a letter first and no hyphen last"


def check_project(project: str, faults: Faults) -> None:
    """A project's id has its form; of one that is kept encrypted nothing is known here."""
    if not project:
        faults.add("empty; name the project's id, e.g. my-project")
    elif project != ENCRYPTED and not _PROJECT.fullmatch(project):
        faults.add(
            f"got {project!r}; a project's id is 6 to 30 lower-case letters, digits and hyphens, a letter first and no "
            "hyphen last"
        )


def region_of(zone: str, faults: Faults) -> str | None:
    """The region of a zone, or a fault when ``zone`` has no zone's form."""
    if not _ZONE.fullmatch(zone):
        faults.add(f"got {zone!r}, which has no zone's form; write e.g. us-west8-c")
        return None
    return zone.rpartition("-")[0]


def check_name(name: str, longest: int, faults: Faults) -> None:
    """Google's rule for names of clusters, pools, policies and machines."""
    if not NAME.fullmatch(name) or len(name) > longest:
        faults.add(f"got {name!r}; Google wants 1 to {longest} {NAME_WORDS}")


def check_linked(value: object, faults: Faults) -> None:
    """The name of what is there, alone or last in its path; what another resource will fill in is let through."""
    if isinstance(value, str) and not NAME.fullmatch(value.rpartition("/")[2]):
        faults.add(f"got {value!r}; write its name: {NAME_WORDS}")
