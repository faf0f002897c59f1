"""What GKE and plain machines of Google Cloud share: names and subnets in plans, and resources."""

from ...base.config import StackKeys

STACK_KEYS = StackKeys(
    {"gcp:project": "project"}, lambda args: {"gcp:region": args["zone"].rpartition("-")[0], "gcp:zone": args["zone"]}
)
"""Configuration keys of other namespaces that become args."""
