"""The simulated clouds, by provider package."""

from collections.abc import Mapping

from ..cloud import Cloud
from . import amazon, azure, google, kubernetes, oracle

SIMULATED: Mapping[str, Cloud] = {
    cloud.package: cloud for cloud in (google.GOOGLE, amazon.AMAZON, azure.AZURE, oracle.ORACLE, kubernetes.KUBERNETES)
}
