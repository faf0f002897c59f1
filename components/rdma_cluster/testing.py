"""``pulumi_offline.testing`` under the name that it had in 0.1.0."""

from pulumi_offline.testing import Mocks as Mocks
