"""What both forms of Google Cloud share: GKE, and plain machines."""
