"""What the image of a pod has to bring to a machine, which no admission can add."""

from ..catalog.machine import Machine
from ..catalog.workload_images import WITHOUT_PLUGIN, WithoutPlugin
from ..fabrics import Fabric, ImagePlugin


def image_needs(machine: Machine, fabric: Fabric) -> str:
    """In words; empty where any image will do."""
    plugin = fabric.plugin
    needs = [f"{plugin.name} {plugin.least} or later"] if isinstance(plugin, ImagePlugin) else []
    if machine.architecture != "amd64":  # most images are built for it alone
        needs.append(f"a build for {machine.architecture}")
    return " and ".join(needs)


def unfit_images(fabric: Fabric) -> tuple[WithoutPlugin, ...]:
    """The images of which it is known that they lack the plugin."""
    plugin = fabric.plugin.name if isinstance(fabric.plugin, ImagePlugin) else None
    return tuple(each for each in WITHOUT_PLUGIN if each.plugin == plugin)
