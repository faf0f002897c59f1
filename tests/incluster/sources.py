"""A chart with its image, as a registry or a Helm repository holds it, and a digest for a lock."""

from dataclasses import replace

from rdma_cluster.catalog.artifact import Certainty, Chart, Image
from rdma_cluster.catalog.machine import Source

SOURCE = Source("-", "2026-01-01")
IMAGE = Image("quay.io/team/daemon:1.2", ("amd64",), Certainty.SURE, SOURCE)
OCI = Chart("a daemon", "daemon", "oci://quay.io/charts/daemon", "1.2.0", Certainty.SURE, IMAGE, SOURCE, tag="v1.2.0")
REPO = replace(OCI, chart="daemon", repo="https://charts.example/x")
LOCK = f"sha256:{'0' * 64}"
