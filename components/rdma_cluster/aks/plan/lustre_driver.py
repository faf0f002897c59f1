"""What the chart of Azure's Lustre driver is told. It brings Lustre's client to every Ubuntu node."""

from collections.abc import Mapping

from ...catalog import charts, images
from ...incluster.plan.charts import Settings, pinned_image

# github.com/kubernetes-sigs/azurelustre-csi-driver@26f6442 deploy/install-driver.sh waits so long for its nodes
# (2026-05).
_SECONDS = 1800


def lustre_driver(registries: Mapping[str, str]) -> Settings:
    """The driver; its pods tolerate the taints of GPU and spot nodes by themselves."""
    sidecars = {
        "provisioner": images.AZURE_LUSTRE_PROVISIONER,
        "livenessProbe": images.AZURE_LUSTRE_LIVENESS,
        "nodeDriverRegistrar": images.AZURE_LUSTRE_REGISTRAR,
    }
    values = {
        "image": pinned_image(images.AZURE_LUSTRE_DRIVER, registries),
        "sidecars": {
            name: {key: of for key, of in pinned_image(image, registries).items() if key != "pullPolicy"}
            for name, image in sidecars.items()
        },
    }
    return Settings(charts.AZURE_LUSTRE, "kube-system", values, _SECONDS).mirrored(registries)
