"""``pulumi_offline.constraints`` under the name that it had in 0.1.0."""

from pulumi_offline.constraints import *  # noqa: F403
