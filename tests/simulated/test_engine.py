"""What is read of the engine's words."""

from rdma_cluster.rehearsal.engine import Ran

FAILED = """\
Diagnostics:
  pulumi:pulumi:Stack (rdma-cluster-gke):
    error: Program failed with an unhandled exception:
    Traceback (most recent call last):
      File "stacks/gke.py", line 4, in <module>
        from rdma_cluster.gke import GkeRdmaCluster
    ImportError: cannot import name 'GkeRdmaCluster'

  gcp:compute:Network (gke-primary):
    error: googleapi: Error 409: Already exists

  gcp:container:NodePool (gke-a4):
    error: 1 error occurred:
    \t* GCE_STOCKOUT: gke-a4

  pulumi:pulumi:Stack (rdma-cluster-gke):
    error: Program failed with an unhandled exception:
    Traceback (most recent call last):
      File "runners.py", line 123, in run
        raise KeyboardInterrupt()
    KeyboardInterrupt

Resources:
    + 1 to create
"""


def test_errors_are_one_line_each():
    """A traceback by what was raised, everything else in the cloud's own words, with its resource."""
    assert Ran("up", 255, FAILED, 1.0).errors == [
        "ImportError: cannot import name 'GkeRdmaCluster'",
        "gcp:compute:Network (gke-primary): googleapi: Error 409: Already exists",
        "gcp:container:NodePool (gke-a4): GCE_STOCKOUT: gke-a4",
    ]
