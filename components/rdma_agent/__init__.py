"""What runs inside pods: the acceptance test's programs, the prover, the watcher of faults, and jobs that wait.

Everything here needs the standard library of Python 3.10 or above and ``nccl_verdict``, nothing else. ``payload`` says
how the files reach a pod, ``run`` starts one of them there.
"""

FOLDER = "/opt/rdma-cluster"
"""Where a pod has the files."""
