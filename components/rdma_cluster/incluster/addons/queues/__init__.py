"""Queues of a cluster's pools, by Kueue and JobSet."""
