"""A user's tags on every resource of a component."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
from ..base.args import Link
from ..common.tags import TagForm
from .frame import Opts


def tagged(opts: Opts, tags: Mapping[str, Link], form: TagForm) -> Opts:
    """``opts`` under which a component and all below it carry ``tags``, wherever their cloud takes any.

    A resource's own tag of the same name stays: something reads it.
    """
    if not tags:
        return opts

    def add(given: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        if given.type_.partition(":")[0] != form.package:
            return None
        props: Any = dict(given.props)
        own = next(((key,) for key in form.inputs if hasattr(type(given.resource), key)), None)
        for path in filter(None, (own, form.inside.get(given.type_))):
            props = _with_tags(props, path, tags)
        return pulumi.ResourceTransformationResult(props, given.opts)

    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(transformations=[add]))


def _with_tags(holder: Any, path: Sequence[str], tags: Mapping[str, Link]) -> Any:
    """``holder`` with the tags at ``path``; lists on the way mean each of their items, what is not set stays so."""
    if isinstance(holder, list):
        return [_with_tags(item, path, tags) for item in holder]
    key, *below = path
    if not below:
        return {**holder, key: {**tags, **(holder.get(key) or {})}}
    return {**holder, key: _with_tags(holder[key], below, tags)} if holder.get(key) else holder
