"""A node image that is brought into a compartment, and the shapes that may boot it."""

import pulumi
import pulumi_oci as oci

from ..component import inputs, outputs, plan_args
from ..key_docs import with_keys
from .plan.images import ImportPlan, OkeImportedImageArgs, decide_import


@with_keys
class OkeImportedImage(pulumi.ComponentResource):
    """An image imported from object storage once, whatever becomes of its link, with an entry for each shape."""

    image: pulumi.Output[str]
    """OCID of the image, known to fit its shapes."""

    def __init__(
        self,
        name: str,
        args: OkeImportedImageArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        plan: ImportPlan | None = None,
    ):
        args, plan = plan_args(OkeImportedImageArgs, decide_import, args, plan)
        super().__init__("rdma-cluster:index:OkeImportedImage", name, inputs(OkeImportedImageArgs, args), opts)
        child = pulumi.ResourceOptions(parent=self)
        # The object's name is in the resource's: another object is another image, another link to it is none.
        own = name if name.endswith(plan.title) else f"{name}-{plan.title}"
        image = oci.core.Image(
            own,
            compartment_id=plan.compartment,
            display_name=plan.title,
            image_source_details={"source_type": "objectStorageUri", "source_uri": plan.url},
            opts=pulumi.ResourceOptions.merge(
                child,
                pulumi.ResourceOptions(
                    ignore_changes=["imageSourceDetails"],
                    # 20 GB: 30 to 60 minutes were seen.
                    custom_timeouts=pulumi.CustomTimeouts(create="3h", delete="1h"),
                ),
            ),
        )
        fits = [
            oci.core.ShapeManagement(
                f"{own}-{shape}",
                compartment_id=plan.compartment,
                image_id=image.id,
                shape_name=shape,
                opts=child,
            ).id
            for shape in plan.shapes
        ]
        self.image = pulumi.Output.all(image.id, *fits).apply(lambda ids: str(ids[0]))
        self.register_outputs(outputs(self))
