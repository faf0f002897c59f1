"""A component alone is as strict as a stack: whatever its args hold, there is a plan or a list of errors."""

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from pulumi_offline.errors import Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.common import CLOUDS
from rdma_cluster.hosting import components_of
from tests.args.judged import JUDGED
from tests.args.schemas import args_of
from tests.examples import examples


def test_every_exported_component_is_judged_here():
    exported = {component.__name__ for component in components_of(*CLOUDS, "incluster")}

    assert exported == JUDGED.keys()


@pytest.mark.parametrize("component", JUDGED)
@settings(
    max_examples=examples(8, 100),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_any_args_of_a_component_are_planned_or_refused(component: str, data: st.DataObject):
    judged = JUDGED[component]
    try:
        assert plan_from(judged.shape, judged.make_plan, data.draw(args_of(judged.shape))) is not None
    except Refused as refused:
        assert refused.errors and all(error.reason.strip() for error in refused.errors)
