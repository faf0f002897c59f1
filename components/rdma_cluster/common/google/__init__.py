"""What GKE and plain machines of Google Cloud share: names and subnets in plans, and resources."""

STACK_KEYS = {"gcp:project": "project"}
"""Configuration keys of other namespaces that become args."""
