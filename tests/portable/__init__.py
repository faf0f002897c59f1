"""Manifests that others publish, which ask for GPUs and for nothing of any cloud."""
