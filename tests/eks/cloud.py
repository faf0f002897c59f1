"""What EKS registers with the tests."""

from tests.clouds import CloudTests
from . import policies
from .breaks import BREAKS
from .components import COMPONENTS
from .configurations import GENERATED
from .readers import device_classes, gpu_pools, ranges
from .variants import VARIANTS

CLOUD = CloudTests(
    name="eks",
    sdk="pulumi_aws",
    pool_label="eks.amazonaws.com/nodegroup",
    pools=gpu_pools,
    ranges=ranges,
    device_classes=device_classes,
    variants=VARIANTS,
    policies=policies,
    breaks=BREAKS,
    generated=GENERATED,
    components=COMPONENTS,
)
