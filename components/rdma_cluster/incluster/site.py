"""A cluster on which add-ons are installed: what there is before them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pulumi
from pulumi_offline.frozen import frozen

if TYPE_CHECKING:
    from .nccl_acceptance import NcclAcceptance

Outputs = Mapping[str, pulumi.Output[Any]]
"""Outputs of the stack that an add-on sets, by their names in ``Installed``."""


@frozen
class Site:
    """What an add-on's ``install`` may hang on."""

    on_cluster: pulumi.ResourceOptions
    """Parent and provider of what runs on the cluster."""
    nodes: Sequence[pulumi.Resource]
    """The GPU pools."""
    kubeconfig: pulumi.Output[str]
    """A kubeconfig of the cluster."""
    installed: Sequence[pulumi.Resource]
    """Drivers and plugins."""
    named: Sequence[pulumi.Resource]
    """What pods name: claim templates, files, volumes."""
    acceptance: "NcclAcceptance | None" = None
    """The tests of all pools; ``None`` for what comes before them."""

    @property
    def after(self) -> list[pulumi.Resource]:
        """What pods on GPU nodes wait for."""
        return [*self.installed, *self.nodes]
