"""The least Kubernetes version that a stack's choices need."""

from collections.abc import Iterable

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ..base import versions

_MOST_SKEW = 3


@frozen
class MinimumVersion:
    """A feature that needs a version."""

    what: str
    """The feature and its verb. Example: ``claims for GPUs need``."""
    least: str
    remedy: str


def check_offered(version: str, minors: tuple[str, str], service: str, errors: ErrorList) -> None:
    """A minor that the cloud's ``service`` still has; there may be newer ones than the newest that was seen."""
    oldest, newest = minors
    if not versions.at_least(versions.minor_of(version), oldest):
        errors.add(f"got {version}; {service} offers {oldest} to {newest}; choose one of these")


def unseen(version: str, minors: tuple[str, str], service: str) -> list[str]:
    """A warning about a minor that is newer than any that the catalogue has seen ``service`` offer."""
    _, newest = minors
    if versions.at_least(newest, versions.minor_of(version)):
        return []
    return [
        f"kubernetes.version: {version} is newer than {newest}, the newest that {service} was seen to offer; "
        "where it is not offered `up` fails at the cluster, and nothing here was compared with it"
    ]


def check_skew(what: str, minor: str, version: str, errors: ErrorList) -> None:
    """A part of a node is as new as the control plane's ``version``, or a little older.

    https://kubernetes.io/releases/version-skew-policy/: kubelet and kube-proxy are never newer, and at most three
    minors older.
    """
    have, control = versions.parse(minor), versions.parse(version)
    if have and control and not 0 <= control[1] - have[1] <= _MOST_SKEW:
        oldest = f"{control[0]}.{control[1] - _MOST_SKEW}"
        errors.add(f"got {what} of {minor}, the control plane is {version}; take one of {oldest} to {version}")


def check_node_version(version: str, cluster: str, service: str, errors: ErrorList) -> None:
    """Nodes follow their control plane: first it, then they."""
    if versions.parse(version) is None:
        errors.add(f"got {version!r}; {service} writes 1.36 or 1.36.2")
    elif versions.parse(cluster) and not versions.at_least(cluster, version):
        errors.add(f"got {version}, newer than the control plane's {cluster}; raise kubernetes.version first")
    else:
        check_skew("nodes", versions.minor_of(version), cluster, errors)


def check_minimum_versions(
    version: str, minimum_versions: Iterable[MinimumVersion], service: str, errors: ErrorList
) -> None:
    """Each need that ``version`` of a cloud's ``service`` does not meet."""
    for minimum_version in minimum_versions:
        if not versions.at_least(version, minimum_version.least):
            errors.add(
                f"got {version}; {minimum_version.what} {service} {minimum_version.least} or later; "
                f"{minimum_version.remedy}"
            )
