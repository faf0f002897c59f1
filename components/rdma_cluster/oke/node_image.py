"""A node image that is brought into a compartment, and the shapes that may boot it."""

import pulumi
import pulumi_oci as oci
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, outputs, replaceable
from .plan.images import ImportPlan, OkeImportedImageArgs, plan_import


@with_keys
class OkeImportedImage(PlannedComponent[ImportPlan, None]):
    """An image imported from object storage once, whatever becomes of its link, with an entry for each shape."""

    image: pulumi.Output[str]
    """OCID of the image, known to fit its shapes."""

    def __init__(self, name: str, args: OkeImportedImageArgs, opts: Opts = None):
        self._plan_alone(name, OkeImportedImageArgs, plan_import, args, opts)

    def _make(self, name: str, plan: ImportPlan, links: None, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:OkeImportedImage", name, shown, opts)
        # The resource has the object's name: another object is another image, another link to the same one is not.
        own = name if name.endswith(plan.title) else f"{name}-{plan.title}"
        image = oci.core.Image(
            own,
            compartment_id=plan.compartment,
            display_name=plan.title,
            image_source_details={"source_type": "objectStorageUri", "source_uri": plan.url},
            opts=pulumi.ResourceOptions(
                parent=self,
                ignore_changes=["imageSourceDetails"],
                # An image of 20 GB takes 30 to 60 minutes.
                custom_timeouts=pulumi.CustomTimeouts(create="3h", delete="1h"),
            ),
        )
        fits = [
            oci.core.ShapeManagement(
                f"{own}-{shape}",
                compartment_id=plan.compartment,
                image_id=image.id,
                shape_name=shape,
                opts=pulumi.ResourceOptions(parent=self),
            ).id
            for shape in plan.shapes
        ]
        self.image = pulumi.Output.all(image.id, *fits).apply(lambda ids: str(ids[0]))
        self.register_outputs(outputs(self))


def import_image(name: str, plan: ImportPlan, opts: pulumi.ResourceOptions) -> pulumi.Output[str]:
    """OCID of the image that a pool's or a stack's plan imports."""
    shown = {"compartment": plan.compartment, "machines": list(plan.shapes), "url": plan.url}
    return OkeImportedImage.planned(name, plan, None, shown, replaceable(opts)).image
