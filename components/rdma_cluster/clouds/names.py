"""Names and labels as the clouds and Kubernetes take them: what every cloud's plan asks of a name."""

import re
from collections.abc import Mapping, Sequence

from ..catalog import find, nearest
from ..faults import Faults

ENCRYPTED = "[secret]"
"""Stands for a value that a stack keeps encrypted: nothing can be said of it here."""

# https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
_LABEL = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names
_DOMAIN = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
# What a node may say of itself under Kubernetes' own prefixes; it may not register with any other of them:
# https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction
_OF_KUBERNETES = re.compile(r"(.*\.)?(kubernetes|k8s)\.io")
_OF_NODES = re.compile(r"(.*\.)?(kubelet|node)\.kubernetes\.io")


def check_labels(labels: Mapping[str, str], ours: Sequence[str], faults: Faults) -> None:
    """The user's labels have Kubernetes' form, are a node's to carry, and leave alone what the drivers read."""
    for key, value in labels.items():
        at = faults.at(key)
        if key in ours:
            at.add("set by this library and read by the drivers; remove it")
        else:
            _check_own_key(key, at)
        check_value(value, at)


def check_taint(taint: Mapping[str, str], faults: Faults) -> None:
    """A taint is a key and a value, both of a label's form."""
    for key in ("key", "value"):
        if key not in taint:
            faults.at(key).add("missing; it has no default")
    for key in sorted(taint.keys() - {"key", "value"}):
        faults.at(key).add("unknown key; known are key, value")
    check_key(taint.get("key", "key"), faults.at("key"))
    check_value(taint.get("value", ""), faults.at("value"))


def check_key(key: str, faults: Faults) -> bool:
    """The key of a label or of a taint, whosoever it is; whether it is one."""
    sound = is_key(key)
    if not sound:
        faults.add(
            "not a label's key; write PREFIX/NAME or NAME: a domain in lower case, and up to 63 letters, digits, "
            "hyphens, underscores and dots with a letter or digit first and last"
        )
    return sound


def is_key(key: str) -> bool:
    """Whether a label, a taint or an annotation can have this key."""
    prefix, slash, name = key.rpartition("/")
    return bool(_LABEL.fullmatch(name) and (_DOMAIN.fullmatch(prefix) or not slash))


def check_ends_as_label(name: str, faults: Faults) -> None:
    """A pool's name that its service takes is also the value of a label of its nodes."""
    if name.endswith(("-", "_")):
        faults.add(f"got {name!r}, which its nodes cannot have as the value of a label; end it with a letter or digit")


def is_domain(name: str) -> bool:
    """Whether most objects of Kubernetes can have this name."""
    return bool(_DOMAIN.fullmatch(name))


def _check_own_key(key: str, faults: Faults) -> None:
    """A key that the user puts on a node."""
    prefix, _, name = key.rpartition("/")
    if not check_key(key, faults):
        return
    if _OF_KUBERNETES.fullmatch(prefix) and not _OF_NODES.fullmatch(prefix):
        faults.add(f"no node may give itself a label of {prefix}; take a prefix of your own, e.g. example.com/{name}")


def check_value(value: str, faults: Faults) -> None:
    """The value of a label or of a taint."""
    if value and not _LABEL.fullmatch(value):
        faults.add(
            f"got {value!r}; a label's value is up to 63 letters, digits, hyphens, underscores and dots, with a letter "
            "or digit first and last"
        )


def check_object_name(name: str, kind: str, faults: Faults) -> None:
    """The name of most objects of Kubernetes."""
    if not is_domain(name):
        faults.add(
            f"got {name!r}; the name of a {kind} is lower-case letters, digits, hyphens and dots, with a letter or "
            "digit first, last and on both sides of a dot"
        )


def check_own_name(name: str, form: re.Pattern[str], longest: int, wanted: str, faults: Faults) -> None:
    """The name of a stack, or of a whole cluster in a program: the names of all that is made begin with it."""
    if not form.fullmatch(name) or len(name) > longest:
        faults.at("name").add(
            f"got {name!r}, with which the names of all resources begin; wanted are 1 to {longest} {wanted}; "
            "give the stack another name"
        )


def check_taken(names: Sequence[str], ours: Mapping[str, str], faults: Faults) -> None:
    """None of the user's names is one of ours, which say what they are for."""
    for i, name in enumerate(names):
        if name in ours:
            faults.at(i).add(f"{name} is made by this library for {ours[name]}; take another name")


def unknown_machine(name: str, cloud: str, or_else: str = "") -> str:
    """Why a machine type is none of a cloud's, with the nearest that are."""
    near = ", ".join(nearest(name, cloud))
    if (elsewhere := find(name)) is not None and elsewhere.cloud.value != cloud:
        return f"{name} is a machine of {elsewhere.cloud.value.upper()}; nearest on {cloud.upper()} are {near}"
    return f"unknown machine {name!r}{or_else}; nearest are {near}"


def check_once(values: Sequence[object], noun: str, key: str, faults: Faults) -> None:
    """Nothing is listed twice; what is known only later is trusted."""
    seen: dict[str, int] = {}
    for i, value in enumerate(values):
        if isinstance(value, str) and (first := seen.setdefault(value, i)) < i:
            faults.at(i, key).add(f"{value} is {noun} [{first}] already; list each once")
