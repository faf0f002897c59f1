"""A client of an API server, from a kubeconfig: for the rehearsal, and for verbs that read a living cluster."""
