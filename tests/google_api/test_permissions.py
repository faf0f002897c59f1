"""The permissions that the provider's requests take, held against Google's documents, the plans and the pages."""

import re
import shutil
from json import dumps
from pathlib import Path

import pytest
import yaml
from pulumi_offline.project import read_settings
from rdma_cluster.common.stack import summarise_stack
from rdma_rehearsal.inventory import Inventory
from rdma_rehearsal.real.record import Rehearsed, real_provider
from tests.stacks import ROOT
from tools.google_server.documents import OWN, document
from tools.google_server.permissions import LOOK_UPS, PERMISSIONS, against, taken_by

DOCUMENTS = ("cloudresourcemanager.v1", "compute.beta", "container.v1beta1", "iam.v1", "servicenetworking.v1")
ROLES = yaml.safe_load(Path(__file__).with_name("roles.yaml").read_text("utf-8"))
METHODS = {method: wanted for wanted, methods in PERMISSIONS.items() for method in methods}


def test_each_method_is_a_documents_and_is_named_once():
    documents = [*(document(each) for each in (*DOCUMENTS, "storage.v1")), *OWN.values()]
    known = {name for each in documents if each is not None for name in each.methods}

    assert METHODS.keys() - known == set()
    assert len(METHODS) == sum(map(len, PERMISSIONS.values()))


def test_plans_and_the_page_name_the_permissions_that_look_ups_take():
    """They stand in the rows that `rdma-cluster plan` shows for pools of all capacities."""
    block = {"name": "r", "block": "b"}
    capacities = [
        *({"reservation": each} for each in ({"name": "r"}, block, {**block, "subBlock": "s"})),
        {"spot": True},
    ]
    config = read_settings(ROOT, "gke").config
    pool = {"machine": "a4-highgpu-8g", "nodes": 2}
    pools = [{**pool, "name": f"p{number}", "capacity": each} for number, each in enumerate(capacities)]
    rows = summarise_stack("gke", {**config, "rdma-cluster:pools": dumps(pools)}, "gke").rows_of("unasked")
    named = {each for row in rows for each in (row["permissions"] or "").split(", ") if each}

    page = (ROOT / "docs" / "gke.md").read_text()

    assert named == set(taken_by(PERMISSIONS[LOOK_UPS].keys()))
    assert [each for each in named if f"`{each}`" not in page] == []


@pytest.mark.parametrize("wanted", PERMISSIONS)
def test_the_roles_have_the_permissions_and_each_is_needed(wanted: str):
    taken = set(taken_by(PERMISSIONS[wanted].keys()))
    of_role = {role: set(has) for role, has in ROLES[wanted].items()}

    assert set().union(*of_role.values()) == taken
    for role in of_role:
        assert taken - set().union(*(has for other, has in of_role.items() if other != role)), role


def test_the_page_of_a_first_cluster_names_the_roles_of_its_stack():
    """Its stack is a cluster on a reservation; the other roles stand on the page on security."""
    listed = (
        (ROOT / "docs" / "first-cluster.md").read_text().partition("roles for whoever runs")[2].partition("\n- ")[0]
    )
    stack = {role for wanted in ("every stack", "a cluster", LOOK_UPS) for role in ROLES[wanted]}

    assert set(re.findall(r"`(roles/[^`]+)`", listed)) == stack


@pytest.mark.parametrize(
    ("asked", "named", "said"),
    [
        (["compute.networks.get"], [], []),
        (["compute.reservations.get"], ["compute.reservations.get"], []),
        (["compute.images.get"], [], ["compute.images.get: no row"]),
        (["compute.reservations.get"], [], ["compute.reservations.get: a look-up takes it"]),
        ([], ["compute.reservations.get"], ["compute.reservations.get: the plan names it"]),
        ([], ["cloudquotas.quotas.get"], []),
    ],
)
def test_a_rehearsal_tells_what_no_row_or_no_plan_names(asked: list[str], named: list[str], said: list[str]):
    """It also tells a permission that a plan names for nothing."""
    found = list(against(asked, named))

    assert len(found) == len(said) and all(line.startswith(words) for line, words in zip(found, said, strict=True))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl: apt-get install openssl")
def test_a_rehearsal_asks_for_what_its_plan_names(tmp_path: Path):
    """Nothing was asked yet of the stack's reservation."""
    rehearsed = Rehearsed(ROOT, read_settings(ROOT, "gke"), tmp_path, Inventory(tmp_path / "world"), lambda role: ())

    with real_provider("gcp").start(rehearsed) as behind:
        requests, permissions = behind.judged()

    assert requests.said == "0 requests of 0 methods"
    assert "compute.reservations.get: the plan names it, and nothing was asked that takes it" in permissions.wrong
