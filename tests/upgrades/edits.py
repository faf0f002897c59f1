"""The keys that the steps of an upgrade write, by stack."""

GKE = "1.36.1-gke.1842000"


EDITS = {
    "gke": (GKE, "kubernetes", [("kubernetes.version",), ("pools[0].nodeVersion",)]),
    "eks": ("1.36", "kubernetes", [("kubernetes.version",)]),
    "aks": ("1.37", "kubernetes", [("kubernetes.version",), ("pools[0].nodeVersion",)]),
    "oke": ("1.37.0", "kubernetes", [("kubernetes.version",)]),
}
"""By stack: the version, the part, and the keys that each step writes."""
