"""The proof that the machines of a pool make by themselves: the same test and the same judge as in pods.

The machine that leads gets an order in its metadata, and `up` waits for the verdict in its guest attributes.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from rdma_agent.payload import payload, script as pod_script
from ...base.args import args_schema
from ...base.other_names import other_names
from ...catalog.gce_image import WITHOUT_TCPX
from ...common.pools import GPU_TAINT
from ...fabrics import GpuAllocation
from ...incluster.plan.acceptance import (
    AcceptanceOptions,
    AcceptancePlan,
    NcclAcceptanceArgs,
    PoolTest,
    plan_acceptance,
)
from ...incluster.plan.acceptance.pod import lead_env
from ...incluster.plan.pool import InClusterPool
from ..on_machine import script
from .machine_config import StartUp, digest

_START_SECONDS = 1800
"""Seconds from a machine's creation to its answer: boot, driver, and the first pull of the images."""


@other_names({"compare": "use_gpu_direct"})  # SkyPilot
@args_schema
class GceAcceptance(AcceptanceOptions):
    """How the fabric is proved, and what it is compared with."""

    compare: NotRequired[bool]
    """Once proved, run the first two machines again from 1 KiB on, with GPUDirect-TCPX and without it, and tell both
    figures and from which size on it wins. Default: false."""


@frozen
class OrderPlan:
    """The test that a pool's machines run."""

    test: PoolTest
    """The test as pods run it, with the time for which `up` waits."""
    id: str
    """Name of the order; anything that the test depends on changes it."""
    order: str
    """Text of the order in each machine's metadata."""
    script: str
    """The script that runs the order."""
    files: str
    """Files of every machine, as JSON."""
    judge_files: Mapping[str, str]
    """Further files of the machine that leads, as JSON by the key of its metadata. One value holds 256 KiB."""


JUDGE_KEYS = ("nccl-acceptance-judge", "nccl-acceptance-judge-2")
"""Of the metadata of the machine that leads."""


def _halves(files: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Files in two parts, in their order, of which neither is much larger than the other."""
    first: dict[str, str] = {}
    half = sum(map(len, files.values())) / 2
    for name in sorted(files):
        if sum(map(len, first.values())) >= half:
            break
        first[name] = files[name]
    return first, {name: files[name] for name in files if name not in first}


def plan_machines_acceptance(
    pools: Sequence[InClusterPool], choice: GceAcceptance, registries: Mapping[str, str], errors: ErrorList
) -> AcceptancePlan | None:
    """The tests and their expectations, as the acceptance test in pods decides them."""
    key, value = GPU_TAINT[:2]
    # Only Kubernetes has taints.
    if choice.get("taint_suspects"):
        errors.at("taint_suspects").add(
            "got true; plain machines have no taints, and the verdict names suspects; remove it"
        )
    if "on_busy" in choice:
        errors.at("on_busy").add(
            f"got {choice['on_busy'].value}; plain machines follow an order as soon as they read it, and nothing looks "
            "at who uses their GPUs; end work before an `up` that tests, and remove it"
        )
    if choice.get("compare") and not choice.get("enabled", True):
        errors.at("compare").add("not allowed with enabled: false: it follows the proof; remove one of the two")
    if choice.get("compare") and pools and all(pool.get("nodes") == 1 for pool in pools):
        errors.at("compare").add(
            "got true; what is compared goes from machine to machine, and no pool has two; raise nodes, or remove it"
        )
    return plan_acceptance(
        NcclAcceptanceArgs(
            **{each: of for each, of in choice.items() if each != "compare"},
            registries=dict(registries),
            pools=[InClusterPool(**{**pool, "gpu_allocation": GpuAllocation.DEVICE_PLUGIN}) for pool in pools],
            # For pods only; plain machines do not use them.
            pool_label="rdma-cluster/pool",
            taint={"key": key, "value": value},
        ),
        errors,
    )


def order_for(test: PoolTest, start: StartUp, choice: GceAcceptance, members: str) -> OrderPlan:
    """The order of one pool; ``members`` is what the names of its machines begin with."""
    measure = test.measure
    compare = choice.get("compare", False)
    seconds = _START_SECONDS + measure.seconds + (2 * (measure.pair_seconds + 120) if compare else 0)
    of_fabric = measure.workload.adds.env
    env = {
        # The container has the fabric's own already.
        **{each["name"]: each["value"] for each in lead_env(measure) if each["name"] not in of_fabric},
        "MEMBERS": members,
        "DAEMON": measure.image.daemon,
        "TEST_IMAGE": measure.image.image,
        "SECONDS_IN_ALL": str(measure.seconds),
        "LEND_SECONDS": str(seconds),
        "WAIVERS": " ".join(f"--waive {gate}" for gate in measure.waive),
        "PLAIN_LIBRARIES": WITHOUT_TCPX,
        "COMPARE": "1" if compare else "",
    }
    scripts = {
        "scripts/node.sh": script("node.sh"),
        "scripts/ring.sh": pod_script("ring.sh"),
        "scripts/env.sh": "".join(f"export {name}={shlex.quote(value)}\n" for name, value in env.items()),
    }
    judge = {
        **{f"judge/{key}": text for key, text in payload("nccl_verdict").items()},
        **{f"judge/{name}": pod_script(name) for name in ("judge.sh", "run.py")},
        "expect/expectation.json": test.expectation.to_json(),
    }
    # A better judge judges the next test; it is no reason to run one again.
    proves = [scripts["scripts/env.sh"], test.expectation.demands, digest(start), choice.get("rerun", "")]
    name = sha256(json.dumps(proves).encode()).hexdigest()[:12]
    return OrderPlan(
        test=replace(
            test,
            timeout_seconds=seconds,
            log=f"gcloud compute ssh {members}0 --tunnel-through-iap --command 'journalctl -u rdma-cluster-acceptance'",
        ),
        id=name,
        order=f"{name} {measure.judge_image}",
        script=script("acceptance.sh"),
        files=json.dumps(scripts, sort_keys=True),
        judge_files={
            key: json.dumps(part, sort_keys=True) for key, part in zip(JUDGE_KEYS, _halves(judge), strict=True)
        },
    )
