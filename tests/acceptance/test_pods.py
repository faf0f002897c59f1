"""What the pods of a test say of themselves: what a plain test does without, and where sshd listens."""

import json
from typing import Any

import pytest
from tests.acceptance.plans import args, containers, efa, handed, only, pool
from tests.incluster.pools import GIB


@pytest.mark.parametrize("given", [args(), efa()], ids=["indexed-job", "mpi-job"])
def test_a_plain_test_says_nothing_of_what_nobody_asked_for(given: dict[str, Any]):
    """It has no account and no credentials, no further collective, and no word of NVLink."""
    test = only(given)
    text = json.dumps(test.test)
    words = ("serviceAccountName", "credentials", "ALSO", "NVLINK", "MARK_NODES", "FINGERPRINT", "WAIVED", "--waive")

    assert [word for word in words if word in text] == []
    assert "startup-taint" not in text


def test_the_judge_writes_waivers_into_proofs_where_nodes_are_held():
    """Elsewhere it only needs them on its command line."""
    env = [
        {each["name"]: each.get("value") for each in containers(made.tests[0])["verdict"]["env"]}
        for made in (handed(GIB, waive=["gdr"], fingerprints={"gib": "f00"}), handed(GIB, waive=["gdr"]))
    ]

    assert [each.get("WAIVED") for each in env] == ["gdr", None]


def test_sshd_listens_beside_the_hosts_own():
    """In the network of the host port 22 is taken, whatever the image's own port is."""
    on_host = pool("oke", machine="BM.GPU.H100.8", fabric="roce-host")
    tests = [only(args(each, waive=["bandwidth"])) for each in (pool(), on_host)]
    ports = [
        next(each["value"] for each in containers(test)["test"]["env"] if each["name"] == "SSH_PORT") for test in tests
    ]

    assert ports == ["222", "2222"]


def test_the_judges_memory_follows_the_nodes():
    """It keeps 1 MiB of the log of every pair: a limit that stays would end it in a large pool."""
    limits = [
        int(containers(only(args(pool(nodes=nodes))))["verdict"]["resources"]["limits"]["memory"].removesuffix("Mi"))
        for nodes in (2, 128)
    ]

    assert limits[1] - limits[0] >= 2 * 127
