"""What a job of a stack's pool takes from the stack, and what it says where something is missing."""

from typing import Any

import pytest
import yaml
from tests.cli.commands import command

A4 = ("a4", "--stack", "gke", "--nodes", "2")
QUEUES = ("--set", "queues={enabled: true}")
NEEDS = "needs Kueue and its queue q, which you bring: the stack installs none\n"


def printed(*words: str) -> tuple[list[Any], str]:
    """The objects, and what is said beside them."""
    code, out, err = command("job", *words)
    assert code == 0, err
    return list(yaml.safe_load_all(out)), err


@pytest.mark.parametrize(
    ("words", "queue", "said"),
    [((), None, ""), (("--queue", "q"), "q", NEEDS), (QUEUES, "a4", ""), ((*QUEUES, "--queue", "a4"), "a4", "")],
)
def test_the_queue(words: tuple[str, ...], queue: str | None, said: str):
    """The pool's own where the stack has queues; another is the user's to bring, and only then it is said."""
    (*_, job), err = printed(*A4, *words)

    assert job["metadata"].get("labels", {}).get("kueue.x-k8s.io/queue-name") == queue
    assert (err, "suspend" in job["spec"]) == (said, queue is not None)


def test_the_image():
    """One's own, or the one of the fabric's tests."""
    images = [
        printed(*A4, *own)[0][-1]["spec"]["template"]["spec"]["containers"][0]["image"]
        for own in ((), ("--image", "my/a:1"))
    ]

    assert images[0].startswith("us-docker.pkg.dev/") and images[1] == "my/a:1"


@pytest.mark.parametrize(("stack", "pool", "channels"), [("gke-a4x", "rack-1", True), ("gke", "a4", False)])
def test_nvlink_between_nodes(stack: str, pool: str, channels: bool):
    """A pool of racks, whose driver makes domains, gets one for the job; another has none."""
    found, _ = printed(pool, "--stack", stack, "--nodes", "2")

    assert ("ComputeDomain" in [each["kind"] for each in found]) == channels


def test_a_machine_alone_brings_what_its_pods_name():
    """The class of its NICs and the claim templates; its pods claim the devices."""
    found, _ = printed("a4-highgpu-8g", "--nodes", "2")
    (container,) = found[-1]["spec"]["template"]["spec"]["containers"]

    assert [(each["kind"], each["metadata"]["name"]) for each in found[:2]] == [
        ("DeviceClass", "dranet"), ("ResourceClaimTemplate", "a4-highgpu-8g-whole"),
    ]  # fmt: skip
    assert container["resources"]["claims"] == [{"name": "devices-0"}]


def test_a_launcher_asks_for_no_gpu():
    """Of a job with one, the workers are what a stack is asked about."""
    words = ("--for", "any", "--nodes", "2", "--image", "my/a:1", "--kind", "mpijob", "--check", "gke")
    code, out, _ = command("job", *words, "--set", "injection={enabled: true, engine: kyverno}")

    assert (code, out.splitlines()[0]) == (0, "gke: yes, on a4-highgpu-8g")


def test_a_topology_that_counts_no_claims():
    """Is told where a queue's pool has one, be it one of several."""
    flex = "pools[1]={name: flex, machine: a4-highgpu-8g, nodes: 2, capacity: {flexStart: true}}"
    words = ("--for", "any", "--nodes", "2", "--image", "my/a:1", "--queue", "a4", "--check", "gke")
    on = ("injection={enabled: true, engine: kyverno}", "queues={enabled: true}", flex)
    code, out, err = command("job", *words, *(word for each in on for word in ("--set", each)))

    assert (code, err, "note: queue a4 places jobs in a topology" in out) == (0, "", True)
