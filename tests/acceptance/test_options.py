"""The options of a test, each by itself: what is taken, and what is refused of its neighbour."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.plan.acceptance import plan_acceptance
from rdma_cluster.incluster.plan.acceptance.checks import check_choice
from tests.acceptance.plans import args, pool
from tests.incluster.pools import EFA, GIB, NICS, RACKS

A3, CPU = "a3-ultragpu-8g", "hpc7a.96xlarge"
LOCK = f"sha256:{'a' * 64}"


def refused(**options: Any) -> list[str]:
    """The errors of options for four pools, each up to its advice."""
    errors = ErrorList()
    # The third has no fabric and is not tested.
    idle = pool("c", machine=CPU, fabric="efa", skip_reason="no GPU")
    by_operator = pool("d", machine="p5.48xlarge", fabric="efa")
    given: Any = args(pool(), pool("b", machine="a4-highgpu-8g"), idle, by_operator, **options)
    assert (plan_acceptance(given, errors) is None) == bool(errors)
    return [str(error).partition(";")[0] for error in errors.found()]


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        ({"pool_label": "example.com/pool", "waive": ["bandwidth", "nics"], "also_run": ["alltoall", "sendrecv"]}, []),
        ({"pool_label": "a b"}, ["pool_label"]),
        ({"taint": {"key": "k", "value": "a b"}}, ["taint.value"]),
        ({"waive": ["nics", "nic"]}, ["waive[1]"]),
        ({"also_run": ["alltoall", "all2all"]}, ["also_run[1]"]),
        ({"also_run": ["alltoall", "sendrecv", "alltoall"]}, ["also_run[2]"]),
        ({"registries": {"a.example": "b.example"}, "images": {"test": f"m.example/a:1@{LOCK}"}}, []),
        ({"registries": {"a b": "c"}}, ["registries.a b"]),
        *(
            ({"images": {key: image}}, [f"images.{key}"])
            for key in ("test", "python", "operator")
            for image in ("A", "")
        ),
    ],
)
def test_an_option_is_refused_at_its_own_key(options: dict[str, Any], keys: list[str]):
    assert [each.partition(": ")[0] for each in refused(**options)] == keys


@pytest.mark.parametrize("key", ["nccl_tests", "mpirun"])
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/opt/nccl-tests/build+x_1.2", ""),
        ("./x", ""),
        ("mpirun", ""),
        ("$(HOME)/x", "got '$(HOME)/x'"),
        ("/a b", "got '/a b'"),
        ("-x", "got '-x'"),
        (" ", "empty"),
    ],
)
def test_a_path_in_an_image_has_nothing_that_a_shell_would_read(key: str, path: str, words: str):
    assert refused(images={key: path}) == [f"images.{key}: {words}"] * bool(words)


@pytest.mark.parametrize(
    ("thresholds", "also", "words"),
    [
        ({A3: ["all_gather:1G=1", "all_gather:2G=2"]}, [], []),
        ({A3: []}, [], []),
        ({A3: ["all_gather:300"]}, [], [f"thresholds.{A3}: got 'all_gather:300'"]),
        ({A3: ["all_gather:1G=1", "reduce:1G=1"]}, [], [f"thresholds.{A3}: thresholds of several collectives"]),
        # One is run, the other is run besides.
        ({A3: ["all_gather:1G=1", "alltoall:1G=1"]}, ["alltoall"], []),
        (
            {A3: ["all_gather:1G=1", "reduce:1G=1", "alltoall:1G=1"]},
            ["alltoall"],
            [f"thresholds.{A3}: thresholds of several collectives"],
        ),
        # 141 GiB hold three buffers of 32 GiB, and not of 64.
        ({A3: ["all_gather:32G=1"]}, [], []),
        ({A3: ["all_gather:33G=1"]}, [], [f"thresholds.{A3}: a threshold from 33 GiB on"]),
        (
            {A3: ["all_gather:1G=1", "all_gather:64G=1", "all_gather:1T=1"]},
            [],
            [f"thresholds.{A3}: a threshold from 64 GiB on", f"thresholds.{A3}: a threshold from 1 TiB on"],
        ),
        # A machine without GPUs has no such limit.
        ({CPU: ["all_gather:1T=1"]}, [], []),
        ({"p4d.24xlarge": ["all_gather:1G=1"]}, [], ["thresholds.p4d.24xlarge: no pool has such machines"]),
        # What nobody knows is refused as that, and in its form.
        ({"p5": ["x"]}, [], ["thresholds.p5: no pool has such machines", "thresholds.p5: got 'x'"]),
        (
            {"p5": ["all_gather:1G=1"], A3: ["x"]},
            [],
            ["thresholds.p5: no pool has such machines", f"thresholds.{A3}: got 'x'"],
        ),
    ],
)
def test_a_threshold_is_of_a_pools_machine_of_one_collective_and_of_a_row_that_is_measured(
    thresholds: dict[str, list[str]], also: list[str], words: list[str]
):
    """A collective that is run besides may have its own; behind a wrong threshold the next one is judged."""
    found = refused(thresholds=thresholds, also_run=also)

    assert len(found) == len(words)
    assert all(map(str.startswith, found, words)), found


def test_a_refused_threshold_names_each_machine_of_the_pools_once():
    """They come in the order of the alphabet."""
    errors = ErrorList()
    check_choice({"thresholds": {"x": []}}, [EFA, NICS, GIB, RACKS], errors)

    (line,) = [str(error) for error in errors.found()]
    assert line.endswith("; the pools have a4-highgpu-8g, a4x-highgpu-4g, p5.48xlarge")
