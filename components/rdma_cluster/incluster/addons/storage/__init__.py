"""Storage that pods of a stack share."""
