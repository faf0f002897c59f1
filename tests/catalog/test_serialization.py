"""A row has a JSON form, which the documentation shows."""

import json
from pathlib import Path

import pytest
from rdma_cluster.catalog import Machine, machines
from rdma_cluster.catalog.serialization import from_json, record_of, to_json


@pytest.mark.parametrize("machine", machines(), ids=lambda machine: machine.name)
def test_a_row_is_read_back_from_json(machine: Machine) -> None:
    """It is of its cloud's own class."""
    back = from_json(json.loads(json.dumps(to_json(machine))))
    assert back == machine
    assert type(back) is record_of(machine.cloud)


def test_the_documented_row_is_the_one_of_the_catalogue() -> None:
    page = (Path(__file__).parents[2] / "docs" / "catalogue.md").read_text()
    example = json.loads(page.split("```json")[1].split("```")[0])
    form = to_json(next(machine for machine in machines("gke") if machine.name == example["name"]))
    assert [name for name in form if name in example] == list(example)
    whole = ("cloud", "architecture", "transport", "gpu", "gpus", "nics", "nic_gbps", "accelerator")
    assert {name: form[name] for name in whole} == {name: example[name] for name in whole}
    assert form["roots"][0] == example["roots"][0]
    assert list(example["unknown"]) == list(form["unknown"])
    assert example["unverified"].keys() <= form["unverified"].keys()
    nic_pci = {name: form["evidence"]["nic_pci"][name] for name in ("seen", "known")}
    assert nic_pci == {name: example["evidence"]["nic_pci"][name] for name in ("seen", "known")}
    shown = {name: value for name, value in example["thresholds"][0].items() if name != "..."}
    assert shown == {name: form["thresholds"][0][name] for name in shown}
