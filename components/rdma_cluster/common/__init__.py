"""What the clouds share: pools, addresses, versions, existing networks and clusters, summaries. Pure but for
``google.resources``."""

CLOUDS = ("aks", "eks", "gce", "gke", "oke")
"""The clouds that are built, by the names of their folders: the one line that a new cloud adds."""
