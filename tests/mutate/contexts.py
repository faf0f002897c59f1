"""Names of what a recorded line ran in, where that was no test alone."""

FOLDER = "RDMA_CLUSTER_MUTATE_MAP"
CACHED, FIXTURE, FILE = "cached:", "fixture:", "file:"
SHARED = (CACHED, FIXTURE, FILE)
