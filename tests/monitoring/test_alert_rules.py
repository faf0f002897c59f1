"""Alerts and records are PromQL, read metrics that their exporters publish, and count what the catalogue says."""

import inspect
import json
import re
from collections import Counter

import pytest
from rdma_agent.names import LAST_LOOK, NODE_FAILED, NODE_PROVEN, PROOF_AGE, PROOF_BUSBW
from rdma_agent.prover import decide
from rdma_cluster.catalog.metrics import METRICS
from rdma_cluster.incluster.addons.monitoring.alert_rules import ACTIVE, DRIVER, RECEIVED, TRANSMITTED
from tests.monitoring.plans import every_rule, plan_of
from tests.monitoring.queries import labels, metrics
from tests.stacks import ROOT

RECORDED = {ACTIVE, RECEIVED, TRANSMITTED}
RULES = every_rule()


OF_PROOFS = {"NodeFailedProof", "NodeSuspect", "NodeHeld", "ProofTooOld", "ProverGone"}


def alerts(*machines: str, **args: object) -> dict[str, str]:
    """The expressions of the alerts by their names."""
    rules = [rule for group in plan_of(*machines, **args).rules for rule in group["rules"]]
    return {rule["alert"]: rule["expr"] for rule in rules if "alert" in rule}


def test_every_query_reads_a_metric_that_an_exporter_publishes():
    """Any other would never fire, and nobody would notice."""
    read = {name for _, rule in RULES for name in metrics(rule["expr"])}

    assert read == {*METRICS, "up", DRIVER} - {"DCGM_FI_DEV_GPU_UTIL"}


def test_severities_are_those_of_the_documentation():
    """Who is called at night reads there which alerts call."""
    page = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
    told = {row[0]: row[1] for row in re.findall(r"^\| `(\w+)` \|.*\| (critical|warning) \|$", page, re.MULTILINE)}

    with_proofs = [rule for group in plan_of("a4-highgpu-8g", renew_seconds=3600).rules for rule in group["rules"]]
    rules = [*(rule for _, rule in RULES), *with_proofs]
    assert {rule["alert"]: rule["labels"]["severity"] for rule in rules if "alert" in rule} == told


def test_every_query_picks_by_labels_that_are_there():
    """Monitors add some, and the exporters have the others."""
    picked = {label for _, rule in RULES for label in labels(rule["expr"])}

    assert picked == {"pool", "device", "job", "counter", "interface", "condition", "status", "daemonset"}


def test_no_two_rules_have_one_name_and_the_same_labels():
    """They would overwrite each other."""
    for machine in {name for name, _ in RULES}:
        both = plan_of(machine, "a4-highgpu-8g" if machine != "a4-highgpu-8g" else "p5.48xlarge").rules
        seen = Counter(
            (rule.get("alert", rule.get("record")), tuple(sorted(rule.get("labels", {}).items())))
            for group in both
            for rule in group["rules"]
        )

        assert seen.most_common(1)[0][1] == 1, machine


@pytest.mark.parametrize(
    ("machine", "gpus", "nics"),
    [
        ("a4-highgpu-8g", 8, 8),
        ("p5.48xlarge", 8, 32),
        ("Standard_ND96isr_H100_v5", 8, 8),
        ("BM.GPU.H100.8", 8, 16),
        ("a3-highgpu-8g", 8, None),
        ("Standard_HB120rs_v3", None, None),
        # AMD's: NVIDIA's exporter has nothing to say of them.
        ("Standard_ND96isr_MI300X_v5", None, 8),
    ],
)
def test_gpus_and_nics_are_counted_as_in_the_catalogue(machine: str, gpus: int | None, nics: int | None):
    """A3 High's NICs are in pods, and HB's front end cannot be told from its rail, so that neither is counted."""
    found = alerts(machine)
    counts = {name: re.search(r"< (\d+)$", found[name]) for name in ("GpusMissing", "NicsMissing") if name in found}

    assert {name: int(count[1]) for name, count in counts.items() if count} == {
        **({"GpusMissing": gpus} if gpus else {}),
        **({"NicsMissing": nics} if nics else {}),
    }


def test_rails_are_numbered_as_in_the_catalogue():
    """H100's rail 2 is mlx5_3 on OKE, because two of its ports are the front end's."""
    rules = [rule for group in plan_of("BM.GPU.H100.8").rules for rule in group["rules"]]
    rails = [(r["labels"]["rail"], r["expr"]) for r in rules if r.get("record") == ACTIVE]

    assert [rail for rail, _ in rails] == [str(rail) for rail in range(16)]
    assert 'device="mlx5_3"' in rails[2][1] and 'device="mlx5_17"' in rails[15][1]


def test_an_applications_own_errors_are_passed_over():
    """XID 31 is a bad pointer of a program; 79 is a GPU that fell off the bus."""
    passed = {int(each) for each in re.findall(r"!= (\d+)", alerts("a4-highgpu-8g")["GpuXid"])}

    assert 31 in passed and passed.isdisjoint({48, 63, 64, 74, 79, 94, 95, 119})


def test_proofs_are_watched_where_there_is_a_prover():
    """Their age is watched only where it has a bound."""
    watched, never = alerts("a4-highgpu-8g", renew_seconds=3600), alerts("a4-highgpu-8g", renew_seconds=0)

    assert OF_PROOFS.isdisjoint(alerts("a4-highgpu-8g"))
    assert watched.keys() - alerts("a4-highgpu-8g").keys() == OF_PROOFS
    assert watched.keys() - never.keys() == {"ProofTooOld"}
    read = {name for each in OF_PROOFS for name in metrics(watched[each])}
    assert read == {NODE_PROVEN, NODE_FAILED, PROOF_AGE, LAST_LOOK}
    reasons = set(re.findall(r'reason=~"([^"]+)"', watched["NodeSuspect"])[0].split("|"))
    assert all(f'"{reason}"' in inspect.getsource(decide) for reason in reasons)


def test_the_dashboard_shows_proofs_where_there_are_some():
    panels = {
        proofs: json.loads(plan_of("a4-highgpu-8g", **args).dashboards["rdma-fabric.json"])["panels"]
        for proofs, args in ((True, {"renew_seconds": 0}), (False, {}))
    }
    read = {
        proofs: {name for each in of for target in each["targets"] for name in metrics(_filled(target["expr"]))}
        for proofs, of in panels.items()
    }

    assert read[True] - read[False] == {NODE_PROVEN, PROOF_BUSBW, PROOF_AGE}
    assert len({json.dumps(each["gridPos"]) for each in panels[True]}) == len(panels[True])


def _filled(query: str) -> str:
    """A query as Grafana asks it."""
    return query.replace("$pool", "a")


def test_the_dashboard_reads_our_records_and_shows_rails_by_nodes():
    board = json.loads(plan_of("a4-highgpu-8g", "p5.48xlarge").dashboards["rdma-fabric.json"])
    queries = [_filled(target["expr"]) for panel in board["panels"] for target in panel["targets"]]

    assert set().union(*map(metrics, queries)) == {
        *RECORDED,
        "DCGM_FI_DEV_GPU_UTIL",
        "ALERTS",
        "kube_node_status_condition",
    }
    matrix = next(panel for panel in board["panels"] if panel["title"].startswith("Links"))
    assert matrix["transformations"][0]["options"]["columnField"] == "rail"
    assert matrix["transformations"][0]["options"]["rowField"] == "node"
    pools = next(each for each in board["templating"]["list"] if each["name"] == "pool")
    assert pools["query"] == "a4-highgpu-8g,p5.48xlarge"
    assert pools["includeAll"] and pools["current"]["text"] == "All"


def test_one_alert_names_every_pool_whose_exporter_may_be_silent():
    expression = alerts("a4-highgpu-8g", "p5.48xlarge")["FabricUnwatched"]

    assert expression.endswith("== 0") and "a4-highgpu-8g" in expression and "p5" in expression


def test_claims_of_one_pool_are_watched_beside_another_without():
    """The other pool's NICs are named as networks."""
    claimed, plugged = "a4-highgpu-8g", "a3-megagpu-8g"
    by_claims = alerts(claimed).keys() - alerts(plugged).keys()

    assert by_claims and by_claims <= alerts(plugged, claimed).keys() and by_claims <= alerts(claimed, plugged).keys()
    assert set(plan_of(claimed).warnings) <= {*plan_of(plugged, claimed).warnings, *plan_of(plugged).warnings}
