"""A proof is shown as text and as data: pods, their devices, what is left over, and what is not certain."""

from rdma_cluster.claims import Constraint, Gpus, Groups, Nics, Numa, Pairs, Request, Target, Template, Whole, solve
from rdma_cluster.claims.target import PCIE_ROOT
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.fabrics.efa import AWS_DRANET
from tests.claims.nodes import A4, P5
from tests.machines import known_machine


def test_a_proof_names_each_pod_and_what_is_left_over():
    solution = solve(A4, Pairs(3), Target())

    assert solution.explain().splitlines() == [
        "a4-highgpu-8g: 3 aligned GPU+NIC pairs: 2 pods a node",
        "  a4-highgpu-8g-pairs-3-rails-0-2: fits once",
        "    pod 0: nic-0 = rail-0, rail-1; gpu-0 = gpu-0, gpu-1; nic-1 = rail-2; gpu-1 = gpu-2",
        "  a4-highgpu-8g-pairs-3-rails-3-5: fits once",
        "    pod 0: nic-0 = rail-3; gpu-0 = gpu-3; nic-1 = rail-4, rail-5; gpu-1 = gpu-4, gpu-5",
        "  left over on a full node: gpu-6, gpu-7, rail-6, rail-7",
    ]
    assert (len(solution.alone), solution.copies) == (1, 2)
    assert [template.window for template in solution.all_templates] == ["rails-0-2", "rails-3-5"]


def test_a_full_node_has_nothing_left_over():
    lines = solve(A4, Gpus(4), Target()).explain().splitlines()

    assert lines[1].endswith("fits 2 times") and lines[3] == "    pod 1: gpu = gpu-4, gpu-5, gpu-6, gpu-7"
    assert "left over" not in solve(A4, Whole(), Target()).explain()


def test_a_proof_as_data_holds_templates_pods_and_idle_devices():
    data = solve(A4, Pairs(4), Target()).to_json()
    names = ["a4-highgpu-8g-pairs-4-rails-0-3", "a4-highgpu-8g-pairs-4-rails-4-7"]

    assert (data["machine"], data["podsPerNode"], data["idle"], data["doubts"]) == ("a4-highgpu-8g", 2, [], {})
    assert [each["metadata"] for each in data["templates"]] == [{"name": n, "namespace": "default"} for n in names]
    assert [each["templates"] for each in data["windows"]] == [[name] for name in names]
    (pod,) = data["windows"][1]["pods"]
    assert pod[names[1]]["gpu-1"] == ["gpu-6", "gpu-7"] and pod[names[1]]["nic-0"] == ["rail-4", "rail-5"]
    assert solve(A4, Gpus(8), Target()).to_json()["idle"] == [f"rail-{index}" for index in range(8)]


def test_doubts_of_the_catalogue_stand_in_the_proof():
    solution = solve(known_machine("p5e.48xlarge"), Groups(3, 1, 4), Target(AWS_DRANET))
    doubts = solution.to_json()["doubts"]

    assert "roots" in doubts
    assert solution.explain().splitlines()[5:] == [f"  not certain: {name}: {why}" for name, why in doubts.items()]


def test_claims_of_nics_alone_say_who_hands_out_the_gpus():
    plugged, claimed = (
        solve(P5, Nics(), Target(AWS_DRANET, gpus=gpus)).explain()
        for gpus in (GpuAllocation.DEVICE_PLUGIN, GpuAllocation.DRA)
    )

    assert "GPUs: from the device plugin" in plugged
    assert "device plugin" not in claimed


def test_an_intent_counts_in_words():
    intents = (Pairs(1), Pairs(2), Groups(1, 1, 4), Groups(3, 2, 1, 2), Numa(), Numa(0), Gpus(1), Gpus(2))

    assert [each.slug for each in intents] == [
        *("pairs-1", "pairs-2", "groups-1x4-1", "groups-2x1-3", "numa", "numa-0", "gpus-1", "gpus-2")
    ]
    words = [str(each) for each in intents]
    assert len(set(words)) == len(words)
    assert "1 aligned GPU+NIC pair" in words and "2 GPUs and no NIC" in words
    assert words[3].startswith("3 groups of 2 GPUs + 1 NIC ")


def test_a_claim_is_written_with_what_it_asks_alone():
    """There are no selectors, constraints or requests of a constraint where none are asked for."""
    pair = Template(
        "t", (Request("a", "gpu", 3), Request("b", "nic", None, ("x", "y"))), (Constraint(PCIE_ROOT, ("a",)),)
    )
    bare = Template("t", (Request("a", "gpu"),))

    assert pair.devices == 3
    assert pair.spec()["spec"]["devices"] == {
        "requests": [
            {"name": "a", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 3}},
            {
                "name": "b",
                "exactly": {
                    "deviceClassName": "nic",
                    "allocationMode": "All",
                    "selectors": [{"cel": {"expression": "x"}}, {"cel": {"expression": "y"}}],
                },
            },
        ],
        "constraints": [{"requests": ["a"], "matchAttribute": PCIE_ROOT}],
    }
    assert bare.spec()["spec"]["devices"].keys() == {"requests"}
    unnamed = Template("t", bare.requests, (Constraint(PCIE_ROOT),)).spec()["spec"]["devices"]
    assert unnamed["constraints"] == [{"matchAttribute": PCIE_ROOT}]
