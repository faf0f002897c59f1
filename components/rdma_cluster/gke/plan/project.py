"""Ids of Google Cloud projects, by their form: which there are only Google knows."""

import re

from ...clouds.names import ENCRYPTED
from ...faults import Faults
from ...unread import rule

# https://docs.cloud.google.com/resource-manager/docs/creating-managing-projects; a domain may stand before it.
_PROJECT = re.compile(r"([a-z][-a-z0-9.]*[a-z0-9]:)?[a-z][-a-z0-9]{4,28}[a-z0-9]")


@rule
def check_project(project: str, faults: Faults) -> None:
    """A project's id has its form; of one that is kept encrypted nothing is known here."""
    if not project:
        faults.add("empty; name the project's id, e.g. my-project")
    elif project != ENCRYPTED and not _PROJECT.fullmatch(project):
        faults.add(
            f"got {project!r}; a project's id is 6 to 30 lower-case letters, digits and hyphens, a letter first and no "
            "hyphen last"
        )
