"""nccl-tests output to verdict: pure, standard library only, and the same files run inside the cluster.

Only ``bundle`` stays outside; everything here imports nothing but its neighbours.
"""
