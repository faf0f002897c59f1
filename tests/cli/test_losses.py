"""What a change destroys, in the words of `graph diff` and `plan --since`."""

import json
from pathlib import Path

import pytest
from tests.cli.commands import command
from tests.stacks import graph_of


def kept(folder: Path, *overrides: str) -> str:
    file = folder / f"{len(overrides)}.json"
    file.write_text(graph_of("gke", *overrides).to_json())
    return str(file)


def test_graph_diff_tells_what_goes_along(tmp_path: Path):
    """The cluster, and how many objects on it; as data each with its reasons."""
    before, after = kept(tmp_path), kept(tmp_path, "kubernetes.name=other")
    code, out, err = command("graph", "diff", before, after)
    told = [line for line in out.splitlines() if line.startswith("!")]
    as_data = json.loads(command("graph", "diff", before, after, "--json")[1])

    assert (code, err) == (1, "")
    cluster = next(line for line in told if "the cluster gke" in line)
    objects = sum(urn.split("::")[2].rpartition("$")[2].startswith("kubernetes:") for urn in as_data["replaced"])
    assert cluster.startswith("! replaces the cluster gke and ") and cluster.endswith(" objects on it: inputs.name")
    assert int(cluster.split()[6]) >= objects > 20
    assert as_data["refused"] == []


def test_graph_diff_tells_what_is_refused(tmp_path: Path):
    """A claim template that nobody said is to be replaced keeps its spec."""
    data = graph_of("gke").to_dict()
    template = next(each for each in data["resources"] if each["type"].endswith(":ResourceClaimTemplate"))
    template["options"] = {}
    (tmp_path / "before.json").write_text(json.dumps(data))
    template["inputs"] = {**template["inputs"], "spec": {"spec": {}}}
    (tmp_path / "after.json").write_text(json.dumps(data))
    _, out, _ = command("graph", "diff", str(tmp_path / "before.json"), str(tmp_path / "after.json"))

    assert f"! {template['type']} {template['name']}: spec.spec.devices: refused: field is immutable" in out


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("kubernetes.name=other", ["replaces the cluster gke and ", "replaces the pool gke-a4"]),
        (
            "zone=us-west8-b",
            ["replaces the network gke-rails and 9 objects", "the pool gke-a4: with the network gke-rails"],
        ),
        ("pools[0].nodes=3", ["no cluster, network or pool is replaced, and nothing is refused"]),
    ],
)
def test_plan_tells_what_is_lost(override: str, says: list[str], tmp_path: Path):
    """Below the plan, against the graph before."""
    before = kept(tmp_path)
    code, out, err = command("plan", "gke", "--set", override, "--since", before)

    assert (code, err) == (0, "")
    assert out.startswith(command("plan", "gke", "--set", override)[1])
    assert all(any(line.startswith(f"since {before}: ") and each in line for line in out.splitlines()) for each in says)


def test_plan_tells_it_beside_a_page(tmp_path: Path):
    """Where the plan itself goes into a file, the sentences stand alone."""
    before = kept(tmp_path)
    code, out, err = command("plan", "gke", "--html", str(tmp_path / "plan.html"), "--since", before)

    assert (code, err) == (0, f"wrote {tmp_path}/plan.html\n")
    assert out == f"since {before}: no cluster, network or pool is replaced, and nothing is refused\n"


def test_plan_tells_it_as_data(tmp_path: Path):
    """Two further keys."""
    _, out, _ = command("plan", "gke", "--since", kept(tmp_path), "--json")

    assert {key: json.loads(out)[key] for key in ("replaces", "refused")} == {"replaces": [], "refused": []}


def test_a_file_that_holds_nothing(tmp_path: Path):
    """Exit code 2, and one line."""
    (tmp_path / "x.json").write_text("[]")
    code, out, err = command("plan", "gke", "--since", str(tmp_path / "x.json"))

    assert (code, out) == (2, "")
    assert err.startswith(f"{tmp_path}/x.json: holds no graph and no state")
