"""Tags of a cloud's resources, by which bills are split: what a cloud takes as one, and where."""

import re
from collections.abc import Mapping

from pulumi_offline.errors import ErrorList, show
from pulumi_offline.frozen import frozen
from ..base.args import Link


@frozen
class TagForm:
    """What one cloud takes as tags."""

    package: str
    """The package of the resources: ``aws``."""
    inputs: tuple[str, ...]
    """Inputs that hold a resource's tags; the first that its type has counts."""
    inside: Mapping[str, tuple[str, ...]]
    """Where the nodes of a type get theirs, by token: the way to an input inside another."""
    key: str
    value: str
    """Regular expression of a whole value; ``key`` is that of a whole key."""
    words: str
    """The form of key and value in words, for errors."""
    most: int | None
    """How many tags of the user a resource takes; ``None`` where the cloud publishes no number."""


def check_tags(tags: Mapping[str, Link], form: TagForm, errors: ErrorList) -> None:
    """Each tag has the cloud's form, and there are not too many."""
    for key, value in tags.items():
        sound = not isinstance(value, str) or re.fullmatch(form.value, value)
        if not sound or not re.fullmatch(form.key, key):
            errors.at(key).add(f"got {show(value)}; {form.words}")
    if form.most is not None and len(tags) > form.most:
        errors.add(f"{len(tags)} tags, and a resource takes {form.most} beside our own; remove {len(tags) - form.most}")
