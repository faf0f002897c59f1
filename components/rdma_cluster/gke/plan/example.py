"""A GKE stack to begin with: what `init` writes, and what the reference shows."""

EXAMPLE = {
    "project": "my-project",
    "zone": "us-west8-c",
    "pools": [
        {
            "name": "a4",
            "machine": "a4-highgpu-8g",
            "nodes": 2,
            "capacity": {"reservation": {"name": "my-reservation"}},
        }
    ],
}
"""Args in a stack file's spelling."""
