"""Charts that stacks install, by how their images are known."""

RENDERED = {"dra-driver-nvidia-gpu", "dranet", "jobset", "kueue", "nvidia-device-plugin"}
"""By tests/controlplane/test_mirrored_charts.py, always."""
