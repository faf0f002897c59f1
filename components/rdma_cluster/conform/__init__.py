"""Promise and hardware: how each promise of a stack is known, and a living cluster held against its plan. Pure."""
