"""``nccl_verdict`` under the name that it had in 0.1.0, as far as its documents show it."""
