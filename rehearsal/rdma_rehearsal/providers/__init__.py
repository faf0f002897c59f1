"""The simulated clouds, by provider package."""

from collections.abc import Mapping

from ..cloud import Cloud
from . import amazon, azure, google, kubernetes, oci

SIMULATED: Mapping[str, Cloud] = {
    cloud.package: cloud for cloud in (google.GOOGLE, amazon.AMAZON, azure.AZURE, oci.OCI, kubernetes.KUBERNETES)
}
