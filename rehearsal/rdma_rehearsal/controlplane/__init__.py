"""A real API server behind the simulated Kubernetes provider."""
