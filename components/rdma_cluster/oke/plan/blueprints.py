"""Words of OCI AI Blueprints, by the record whose keys they mean."""

from ...base.other_names import other_names

_LABELLED = (
    "adopted nodes have it; a pool of ours is found by labels: {corrino: h100, corrino/pool-shared-any: 'true', "
    "corrino/rdma: 'true'}"
)
for_stack = other_names(
    {
        "zone": "recipe_availability_domain",
        "leave it out: pools makes nodes, adopt takes some that exist, inference serves a model": "recipe_mode",
    }
)
for_pool = other_names(
    {
        "name": "deployment_name",
        "machine": "shared_node_pool_shape recipe_node_shape",
        "nodes": "shared_node_pool_size",
        "leave it out: every pool has RDMA": "multinode_rdma_enabled_in_shared_pool recipe_use_shared_node_pool",
        _LABELLED: "blueprints",
    }
)
for_adopted = other_names({"names": "recipe_node_name", "labels": "recipe_node_labels"})
for_image = other_names({"url": "par", "id": "recipe_node_image_ocid"})  # its links are pre-authenticated requests
for_boot_volume = other_names({"gb": "shared_node_pool_boot_volume_size_in_gbs"})
