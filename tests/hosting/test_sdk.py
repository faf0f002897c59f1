"""Why the components have a host of their own: what the SDK's loses. Where a release mends it, ours can shrink."""

from typing import NotRequired

import pulumi
import pytest
from pulumi.provider.experimental.component import ComponentProvider
from pulumi.provider.server import ComponentInitError
from typing_extensions import TypedDict

SEEN: list[object] = []


class RefusingArgs(TypedDict):
    """Args of a component that refuses."""

    nodes: NotRequired[int]


class Refusing(pulumi.ComponentResource):
    """Tells what it was handed, and refuses it with a path."""

    def __init__(self, name: str, args: RefusingArgs, opts: pulumi.ResourceOptions | None = None):
        SEEN.append(args)
        raise pulumi.InputPropertiesError("no", [{"property_path": "nodes", "reason": "too many"}])


def test_the_sdk_s_host_loses_errors_numbers_and_unknown_keys():
    """Its server sends `InputPropertiesError` with paths; its provider hides that error in another."""
    provider = ComponentProvider([Refusing], "p")

    with pytest.raises(ComponentInitError):
        provider.construct("r", "p:index:Refusing", {"nodes": 2.0, "nods": 3.0})

    (args,) = SEEN
    assert args == {"nodes": 2}
    assert type(args["nodes"]) is float  # ty: ignore[not-subscriptable]
