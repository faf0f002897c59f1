"""A stack of plain machines to begin with: what `init` writes, and what the reference shows."""

EXAMPLE = {
    "project": "my-project",
    "zone": "us-central1-a",
    "pools": [
        {
            "name": "a3",
            "machine": "a3-highgpu-8g",
            "nodes": 2,
            "capacity": {"reservation": {"name": "my-reservation"}},
        }
    ],
}
"""Args in a stack file's spelling."""
