"""Names, labels and taints as Kubernetes takes them."""

import re
from collections.abc import Mapping, Sequence

from pulumi_offline.errors import ErrorList, masked
from pulumi_offline.unknowns import known

# https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
_LABEL = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names
_DOMAIN = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def check_taint(taint: Mapping[str, str], errors: ErrorList) -> None:
    """A taint is a key and a value, both of a label's form."""
    for key in ("key", "value"):
        if key not in taint:
            errors.at(key).add("missing; it has no default")
    for key in sorted(taint.keys() - {"key", "value"}):
        errors.at(key).add("unknown key; known are key, value")
    check_key(taint.get("key", "key"), errors.at("key"))
    check_value(taint.get("value", ""), errors.at("value"))


def check_key(key: str, errors: ErrorList) -> bool:
    """Checks the key of a label or of a taint; returns whether it is one."""
    sound = is_key(key)
    if not sound:
        errors.add(
            "not a label's key; write PREFIX/NAME or NAME: a domain in lower case, and up to 63 letters, digits, "
            "hyphens, underscores and dots with a letter or digit first and last"
        )
    return sound


def is_key(key: str) -> bool:
    """Whether a label, a taint or an annotation can have this key."""
    prefix, slash, name = key.rpartition("/")
    return bool(_LABEL.fullmatch(name) and (_DOMAIN.fullmatch(prefix) or not slash))


def is_domain(name: str) -> bool:
    """Whether most objects of Kubernetes can have this name."""
    return bool(_DOMAIN.fullmatch(name))


def check_value(value: str, errors: ErrorList) -> None:
    """The value of a label or of a taint."""
    if value and not _LABEL.fullmatch(value):
        errors.add(
            f"got {value!r}; a label's value is up to 63 letters, digits, hyphens, underscores and dots, with a letter "
            "or digit first and last"
        )


def check_object_name(name: str, kind: str, errors: ErrorList) -> None:
    """The name of most objects of Kubernetes; what is no Secret's name may be a secret itself, and is not shown."""
    if not known(name):
        return
    if kind == "Secret" and (not is_domain(name) or masked(name) != name):
        errors.add(
            "not the name of a Secret (the text is not shown, it may be the secret itself): put the secret into a "
            "Secret of the namespace with `kubectl create secret generic`, and write that Secret's name here"
        )
    elif not is_domain(name):
        errors.add(
            f"got {name!r}; the name of a {kind} is lower-case letters, digits, hyphens and dots, with a letter or "
            "digit first, last and on both sides of a dot"
        )


def check_taken(names: Sequence[str], ours: Mapping[str, str], errors: ErrorList) -> None:
    """None of the user's names is one of ours, which say what they are for."""
    for i, name in enumerate(names):
        if name in ours:
            errors.at(i).add(f"{name} is made by this library for {ours[name]}; take another name")
