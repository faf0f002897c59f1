"""Where what a stack fetches comes from: digests that are locked, lists for a mirror, a bill of materials."""
