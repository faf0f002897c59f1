"""A namespace belongs to who made the cluster: ours are made, those of an existing cluster are there."""

from copy import deepcopy

import pytest
from rdma_cluster.cli.overrides import lay_over
from rdma_cluster.cli.stack_file import cloud_of
from rdma_cluster.common.stack import BaseRdmaClusterPlan, plan_of
from tests.refusals.case import case_of
from tests.refusals.neighbours import neighbour
from tests.refusals.pairs import settings

BY_CLAIMS = {"aks": ["pools[0].gpuAllocation=dra"], "oke": ["rdma.nicAttachment=dranet"]}


@pytest.mark.parametrize("existing", [False, True], ids=["new", "existing"])
@pytest.mark.parametrize("cloud", ["aks", "eks", "gke", "oke"])
def test_namespaces_of_claims_are_made_in_a_new_cluster_alone(cloud: str, existing: bool):
    there = neighbour(case_of(f"{cloud}/existing-cluster-with-choices"))
    assert there is not None
    base, parsed = settings(cloud)
    config = deepcopy(parsed)
    for each in [*(there.set if existing else []), *BY_CLAIMS.get(cloud, []), "claims.namespaces=[team-a]"]:
        lay_over(config, each)
    plan = plan_of(cloud_of(base), base.over(config).config, cloud)

    assert isinstance(plan, BaseRdmaClusterPlan) and plan.in_cluster.claims is not None
    assert plan.in_cluster.claims.plan.namespaces == ("team-a",)
    assert bool(plan.in_cluster.claims.plan.new_namespaces) is not existing
