"""A pool of plain machines: what its capacity decides, what it boots, what its machines are told to prove."""

import json
from typing import Any

import pytest
from rdma_cluster.base.args import plan_from
from rdma_cluster.gce.plan.network import BUILDABLE
from rdma_cluster.gce.plan.vms import GceGpuVmsArgs, VmsPlan, plan_vms
from tests.gce.plans import PLACE, places, pool_of

NICS = [{"network": f"n{i}", "subnetwork": f"s{i}"} for i in range(5)]


def vms(called: str = "s", **args: Any) -> VmsPlan:
    """The plan of a component on its own."""
    base = {"name": "a3", "machine": "a3-highgpu-8g", "nodes": 2, "capacity": {"spot": True}, "networks": NICS}
    return plan_from(GceGpuVmsArgs, lambda read, errors: plan_vms(read, called, errors), {**base, **PLACE, **args})


def test_a_pool_on_its_own_is_that_of_a_stack():
    image = "projects/mine/global/images/my-cos"
    made = vms("component", prefix="p", system={"image": image, "driver": "latest"}, acceptance={"enabled": False})

    assert vms() == pool_of()
    assert (made.members, made.image, made.start.driver, made.order) == ("p-a3-", image, "latest", None)
    assert made.skip_reason == "acceptance is disabled"
    assert any("cluster-toolkit issue 3032" in each for each in made.warnings)


def test_machines_on_demand_alone_are_asked_to_be_close():
    """A reservation has its own policy; one of another project is named by its path."""
    reserved = vms(capacity={"reservation": {"name": "r", "project": "owner-1"}})

    assert reserved.reservation == "projects/owner-1/reservations/r"
    assert vms(capacity={"reservation": {"name": "r"}}).reservation == "r"
    assert [each.compact for each in (vms(capacity={"on_demand": True}), vms(), reserved)] == [True, False, False]


def test_machines_of_flex_start_end_with_their_week_and_several_may_come_one_by_one():
    """Seven days are Google's most; one machine alone waits for no other."""
    flexible: dict[str, Any] = {"capacity": {"flex_start": True}}

    assert (vms(**flexible).run_hours, vms().run_hours) == (168, None)
    assert [len(vms(**flexible, nodes=nodes).warnings) for nodes in (1, 2)] == [1, 2]


@pytest.mark.parametrize(
    ("args", "refused"),
    [
        ({"networks": [*NICS, NICS[0]]}, ["networks"]),
        ({"nodes": 15_000}, []),
        ({"capacity": {"reservation": {"name": "r" * 63}}}, []),
        ({"capacity": {"reservation": {"name": "r" * 64}}}, ["capacity.reservation.name"]),
        ({"name": "a" * 24, "prefix": "p" * 30}, []),
        ({"name": "a" * 25, "prefix": "p" * 30}, ["name"]),
        ({"capacity": {"flex_start": True, "max_run_hours": 168}}, []),
        ({"capacity": {"flex_start": True, "max_run_hours": 169}}, ["capacity.max_run_hours"]),
        ({"capacity": {"on_demand": True, "max_run_hours": 1}}, ["capacity.max_run_hours"]),
        ({"system": {"image": "projects/mine/global/images/my-cos"}}, []),
        ({"system": {"driver": "525.85.12"}}, []),
        ({"system": {"driver": "R524"}}, ["system.driver"]),
    ],
)
def test_a_pool_keeps_to_limits_of_names_and_counts(args: dict[str, Any], refused: list[str]):
    assert places(vms, **args) == refused


def env_of(made: VmsPlan) -> dict[str, str]:
    """The variables of the order's script."""
    assert made.order is not None
    text = json.loads(made.order.files)["scripts/env.sh"]
    return dict(line.removeprefix("export ").split("=", 1) for line in text.splitlines())


def test_machines_are_told_the_test_who_takes_part_and_for_how_long():
    env = env_of(pool_of(acceptance={"waive": ["bandwidth", "affinity"]}))

    assert (env["NODES"], env["GPUS"], env["ROUNDS"], env["MEMBERS"]) == ("2", "8", "0,1", "s-a3-")
    assert (env["COLLECTIVE"], env["MOST_BYTES"]) == ("all_gather", str(8 << 30))
    assert env["WAIVERS"] == "'--waive bandwidth --waive affinity'"
    assert (env["SSH_PORT"], env["DAEMON"], env["COMPARE"]) == ("222", "'service ssh restart'", "''")
    assert 0 < int(env["READY_SECONDS"]) < int(env["SECONDS_IN_ALL"]) < int(env["LEND_SECONDS"])


def test_machines_lend_themselves_longer_for_a_comparison():
    """Two runs of the first pair more, each with two minutes to begin; nobody waits longer for the test itself."""
    plain, compared = env_of(pool_of()), env_of(pool_of(acceptance={"compare": True}))

    assert {key for key in plain if plain[key] != compared[key]} == {"COMPARE", "LEND_SECONDS"}
    assert int(compared["LEND_SECONDS"]) == int(plain["LEND_SECONDS"]) + 2 * (int(plain["PAIR_SECONDS"]) + 120)


def test_up_waits_as_long_as_the_machines_lend_themselves_and_says_where_to_look():
    order = pool_of().order
    assert order is not None

    assert order.test.timeout_seconds == int(env_of(pool_of())["LEND_SECONDS"])
    assert "gcloud compute ssh s-a3-0 --tunnel-through-iap" in order.test.log
    assert "journalctl -u rdma-cluster-acceptance" in order.test.log


def test_plain_machines_have_the_same_nics_and_gpus():
    """Networks and the least driver are those of the first: a machine with others needs them told apart."""
    assert {machine.nics for machine in BUILDABLE.values()} == {4}
    assert {machine.gpu and machine.gpu.arch for machine in BUILDABLE.values()} == {"Hopper"}
