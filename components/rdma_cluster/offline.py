"""``pulumi_offline`` under the name that it had in 0.1.0."""

from typing import TYPE_CHECKING

from pulumi_offline import __dir__, __getattr__  # noqa: F401 (a module's own two functions)

if TYPE_CHECKING:
    from pulumi_offline import *  # noqa: F403
