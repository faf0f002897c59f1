"""A whole stack below a user's own provider is made by it, asks it, and logs its warnings."""

from functools import cache
from importlib import import_module

import pytest
from tests.asked import MINE, Told, told
from tests.clouds import CloudTests, clouds


@cache
def whole(cloud: CloudTests) -> Told:
    """The graph of a cloud's whole component with the user's provider."""
    name = next(name for name in cloud.components if name.endswith("RdmaCluster"))
    return told(cloud.name, cloud.sdk, name, cloud.components[name])


@pytest.mark.parametrize("cloud", clouds(), ids=str)
def test_a_users_provider_makes_every_resource(cloud: CloudTests):
    """A second one would have other credentials; only IAM of Oracle's home region has its own."""
    graph = whole(cloud).graph
    providers = {each.urn: each.name for each in graph.of_type(f"pulumi:providers:{cloud.sdk_package}")}
    used = {providers.get(str(each.provider)) for each in graph.resources if each.type.startswith(cloud.sdk_package)}
    own_region = {f"{cloud.name}-home"} if cloud.name == "oke" else set()

    assert set(providers.values()) == used == {MINE, *own_region}


@pytest.mark.parametrize("cloud", clouds(), ids=str)
def test_a_users_provider_answers_every_question(cloud: CloudTests):
    """The default one would ask another account."""
    assert {each.provider for each in whole(cloud).asked} <= {MINE}


@pytest.mark.parametrize("cloud", clouds(), ids=str)
def test_the_engine_shows_every_warning_of_a_plan(cloud: CloudTests):
    name = next(name for name in cloud.components if name.endswith("RdmaCluster"))
    plan = import_module(f"rdma_cluster.{cloud.name}.plan").plan_rdma_cluster_args(cloud.components[name], cloud.name)

    assert plan.warnings
    assert [each for each in whole(cloud).warnings if each in plan.warnings] == list(plan.warnings)
