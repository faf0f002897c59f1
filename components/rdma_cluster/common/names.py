"""Names and labels that every cloud's plan checks."""

import re
from collections.abc import Mapping, Sequence

from pulumi_offline.errors import ErrorList
from pulumi_offline.unknowns import known
from ..base.args import Link
from ..base.kubernetes_names import check_key, check_value
from ..catalog import find, nearest
from ..catalog.clouds import why_without_rdma

# What a node may say of itself under Kubernetes' own prefixes; it may not register with any other of them:
# https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction
_OF_KUBERNETES = re.compile(r"(.*\.)?(kubernetes|k8s)\.io")
_OF_NODES = re.compile(r"(.*\.)?(kubelet|node)\.kubernetes\.io")


def check_labels(labels: Mapping[str, Link], ours: Sequence[str], errors: ErrorList) -> None:
    """The user's labels have Kubernetes' form, are a node's to carry, and leave alone what the drivers read."""
    for key, value in labels.items():
        at = errors.at(key)
        if key in ours:
            at.add("set by this library and read by the drivers; remove it")
        elif check_key(key, at):
            prefix, _, name = key.rpartition("/")
            if _OF_KUBERNETES.fullmatch(prefix) and not _OF_NODES.fullmatch(prefix):
                own = f"example.com/{name}"
                at.add(f"no node may give itself a label of {prefix}; take a prefix of your own, e.g. {own}")
        if isinstance(value, str):  # of an output the cloud sees the form
            check_value(value, at)


def check_ends_as_label(name: str, errors: ErrorList) -> None:
    """A pool's name ends in a letter or digit, since it is also the value of a label of its nodes."""
    if name.endswith(("-", "_")):
        errors.add(f"got {name!r}, which its nodes cannot have as the value of a label; end it with a letter or digit")


def check_own_name(name: str, form: re.Pattern[str], longest: int, wanted: str, errors: ErrorList) -> None:
    """The name of a stack, or of a whole cluster in a program: the names of all that is made begin with it."""
    if not form.fullmatch(name) or len(name) > longest:
        errors.at("name").add(
            f"got {name!r}, with which the names of all resources begin; wanted are 1 to {longest} {wanted}; "
            "give the stack another name"
        )


def unknown_machine(name: str, cloud: str, or_else: str = "") -> str:
    """Why a machine type is none of a cloud's, with the nearest that are."""
    near = ", ".join(nearest(name, cloud))
    if (elsewhere := find(name)) is not None and elsewhere.cloud != cloud:
        return f"{name} is a machine of {elsewhere.cloud.upper()}; nearest on {cloud.upper()} are {near}"
    if why := why_without_rdma(name):
        return f"{name} has {why}; nearest with a fabric are {near}"
    return f"unknown machine {name!r}{or_else}; nearest are {near}"


def check_once(values: Sequence[object], noun: str, key: str, errors: ErrorList) -> None:
    """Nothing is listed twice; what is known only later is trusted."""
    seen: dict[str, int] = {}
    for i, value in enumerate(values):
        if isinstance(value, str) and known(value) and (first := seen.setdefault(value, i)) < i:
            errors.at(i, key).add(f"{value} is {noun} [{first}] already; list each once")
