"""Whatever a stack file holds, it is planned or refused with a list of faults: nothing else ever comes out."""

import json
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rdma_cluster.cli.app import run
from rdma_cluster.cli.preview import run_program
from rdma_cluster.config import stack_args
from rdma_cluster.faults import Refused
from rdma_cluster.gke.plan import STACK_KEYS, plan_rdma_cluster, summarise
from rdma_cluster.offline.project import read_settings

from tests.stacks import ROOT

SOUND: dict[str, Any] = {
    "gcp:project": "my-project",
    "rdma-cluster:cloud": "gke",
    "rdma-cluster:zone": "us-west8-c",
    "rdma-cluster:pools": [
        {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"reservation": {"name": "r"}}}
    ],
}

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2**70),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(0, 3), max_size=2),
)


def now_and_then(odd: st.SearchStrategy[Any], sound: st.SearchStrategy[Any], times: int) -> st.SearchStrategy[Any]:
    """Something odd once in so many times: with more of it the door would refuse all, and no rule be reached."""
    return st.integers(1, times).flatmap(lambda draw: odd if draw == times else sound)


def keys(required: dict[str, st.SearchStrategy[Any]], optional: dict[str, st.SearchStrategy[Any]]):
    """A set of keys, now and then with one missing, one of a wrong type, or one that nobody knows."""
    some = {key: now_and_then(ODD, value, 60) for key, value in {**required, **optional}.items()}
    sound = st.fixed_dictionaries({key: some[key] for key in required}, optional={key: some[key] for key in optional})
    return now_and_then(st.fixed_dictionaries({}, optional={**some, "surprise": ODD}), sound, 20)


SWITCH = st.booleans()
NAME = now_and_then(st.text(max_size=45), st.sampled_from(["a4", "b", "r", "team-a", "x-1"]), 30)
CIDR = now_and_then(
    st.builds(lambda a, b: f"{a}/{b}", st.ip_addresses(), st.integers(0, 130)),
    st.sampled_from(["10.0.0.0/13", "10.0.0.0/8", "100.64.0.0/12", "172.16.0.0/16", "240.0.0.0/8", "fd00::/8"]),
    5,
)
MACHINE = now_and_then(
    st.sampled_from(["a3-highgpu-8g", "a4x-highgpu-4g", "h4d-highmem-192-lssd", "b"]),
    st.sampled_from(["a4-highgpu-8g", "a3-ultragpu-8g"]),
    12,
)
NETWORK = keys({"network": NAME, "subnetwork": NAME}, {})
RESERVATION = keys({"name": NAME}, {"project": NAME, "zone": st.just("us-west8-c"), "block": NAME, "subBlock": NAME})
CAPACITY = st.one_of(
    st.just({"spot": True}),
    st.just({"flexStart": True}),
    keys({}, {"reservation": RESERVATION, "spot": SWITCH, "flexStart": SWITCH, "onDemand": SWITCH}),
)
POOL = keys(
    {"name": NAME, "machine": MACHINE, "nodes": st.integers(-1, 400), "capacity": CAPACITY},
    {
        "gpuAllocation": st.sampled_from(["dra", "device-plugin"]),
        "autoRepair": SWITCH,
        "labels": st.dictionaries(st.one_of(NAME, st.just("nvidia.com/gpu.present")), NAME, max_size=2),
    },
)
VERSION = st.sampled_from(["1.35", "1.34.2", "1.34", "1.33", "1.31.4-gke.1183000", "1.36.0-gke.1", "latest"])
CHOICES: dict[str, st.SearchStrategy[Any]] = {
    "rdma-cluster:kubernetes": keys(
        {},
        {
            "name": NAME,
            "version": VERSION,
            "location": st.sampled_from(["regional", "zonal"]),
            "releaseChannel": st.sampled_from(["RAPID", "STABLE"]),
            "endpoint": st.sampled_from(["dns", "private"]),
            "existing": keys({"location": st.just("us-west8"), "endpoint": NAME}, {"caCertificate": NAME}),
        },
    ),
    "rdma-cluster:network": keys(
        {},
        {
            "cidr": CIDR,
            "maxNodes": st.integers(-1, 16_000),
            "podCidr": CIDR,
            "serviceCidr": CIDR,
            "existing": keys(
                {
                    **dict.fromkeys(("network", "subnetwork", "podRange", "serviceRange"), NAME),
                    "gvnic": NETWORK,
                    "rails": st.lists(NETWORK, min_size=7, max_size=8),
                },
                {},
            ),
        },
    ),
    "rdma-cluster:claims": keys(
        {},
        {
            "namespaces": st.lists(NAME, max_size=3),
            "pairs": st.lists(st.integers(-1, 10), max_size=3),
            "whole": SWITCH,
            "nics": SWITCH,
        },
    ),
    "rdma-cluster:drivers": keys(
        {}, {key: st.sampled_from(["installed", "managed", "existing"]) for key in ("gpu", "nic", "kernel")}
    ),
}
STACK_FILE = keys(
    {
        "gcp:project": st.just("my-project"),
        "rdma-cluster:cloud": st.just("gke"),
        "rdma-cluster:zone": st.sampled_from(["us-west8-c", "us-west8-c", "us-west8"]),
        "rdma-cluster:pools": st.lists(POOL, min_size=1, max_size=3, unique_by=str),
    },
    CHOICES,
)


def told(error: Refused) -> bool:
    """Whether an error is a list of faults, each a line with words."""
    lines = str(error).splitlines()
    return bool(lines) and all(line.strip() for line in lines)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STACK_FILE)
@example({**SOUND, "rdma-cluster:claims": {"pairs": [9]}})
@example({**SOUND, "rdma-cluster:claims": {"pairs": [2, 2]}})
@example({**SOUND, "gcp:project": "[secret]"})
def test_a_plan_or_a_list_of_faults(config: dict[str, Any]):
    """The pure side, from the texts that the engine hands over."""
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in config.items()}
    try:
        plan = plan_rdma_cluster(stack_args(texts, STACK_KEYS), "gke", camel=True)
    except Refused as refused:
        assert told(refused)
    else:
        assert summarise(plan).to_dict()["pools"]


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(st.fixed_dictionaries({}, optional=CHOICES))
def test_a_graph_or_a_list_of_faults(tmp_path_factory, choices: dict[str, Any]):
    """The program itself, around sound pools: what is planned is built, with no fault in any resource."""
    path = tmp_path_factory.mktemp("stack") / "Pulumi.gke.yaml"
    path.write_text(yaml.safe_dump({"config": {**SOUND, **choices}}, allow_unicode=True))

    with chdir(ROOT):
        program = read_settings(ROOT, "gke", stack_file=path)
        try:
            plan_rdma_cluster(stack_args(program.config, STACK_KEYS), "gke", camel=True)
        except Refused as refused:
            assert told(refused)
        else:
            assert run_program(ROOT, program).resources


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(
        st.text(max_size=20),
        st.builds(
            "{}={}".format,
            st.sampled_from(
                ["zone", "pools[0].nodes", "pools[1]", "pools[0].labels.x", "gcp:project", "claims.pairs[0]"]
            ),
            st.one_of(
                st.text(max_size=12), ODD.map(repr), st.sampled_from(["2026-01-02", "!!set {a}", "&a [*a]", "0x1F"])
            ),
        ),
    )
)
def test_any_override_is_planned_or_refused(override: str):
    """No word on the command line ends in a traceback."""
    with chdir(ROOT), redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = run(["plan", "gke", f"--set={override}"])

    assert (code, bool(out.getvalue()), bool(err.getvalue())) in ((0, True, False), (2, False, True))
