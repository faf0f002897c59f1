"""nccl-tests output to verdict: pure, standard library only, and the same files run inside the cluster."""
