"""The YAML blocks of our pages are taken by what they are written for.

A stack file is planned, and fits the schema of its cloud; keys of a stack file are laid over our own stacks, each key
for itself, and one of them takes it; a pod is checked by Kubernetes' own types and rules, and what it takes from the
stack, the stack gives. A page of a cloud is asked of that cloud's stacks, any other page of all.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from pulumi_offline.constraints import broken
from pulumi_offline.errors import Refused
from pulumi_offline.strict import check_inputs
from rdma_cluster.base.config import CLOUD, NAMESPACE
from rdma_cluster.cli.schema import schema_of
from rdma_cluster.common import CLOUDS
from rdma_cluster.common.stack import plan_of
from tests.pages.blocks import Block, run_blocks
from tests.stacks import ROOT, STACKS

ELSEWHERE = {"docs/ci.md": "tests/test_ci_page.py", "docs/other-languages.md": "tests/hosting/test_plugins.py"}
"""Pages whose YAML a test of their own runs."""
Pod = dict[str, Any]


def page_of(block: Block) -> str:
    """As the tests of a page name it."""
    return str(block.page.relative_to(ROOT))


BLOCKS = {block.name: block for block in run_blocks("yaml") if page_of(block) not in ELSEWHERE}
LOADED = {name: yaml.safe_load(block.text) for name, block in BLOCKS.items()}
FILES = {name: loaded["config"] for name, loaded in LOADED.items() if CLOUD in loaded.get("config", {})}
KEYS = {
    f"{name}+{number}": (block, key)
    for name, block in BLOCKS.items()
    for number, key in enumerate(re.split(rf"^(?={NAMESPACE}:)", block.text, flags=re.MULTILINE)[1:])
}
KEYS |= {
    f"{name}+{key}": (BLOCKS[name], yaml.safe_dump({key: value}))
    for name, loaded in LOADED.items()
    if name not in FILES
    for key, value in loaded.get("config", {}).items()
}
PODS = {name: loaded["spec"].get("template", loaded) for name, loaded in LOADED.items() if "spec" in loaded}
"""Pods, and those of Jobs."""


@cache
def config_of(stack: str) -> dict[str, Any]:
    """What the file of one of our stacks says."""
    return yaml.safe_load((ROOT / "stacks" / f"Pulumi.{stack}.yaml").read_text())["config"]


def stacks_for(block: Block) -> list[str]:
    """The stacks of the page's cloud; all, where the page is of none."""
    cloud = block.page.stem
    return [stack for stack in STACKS if cloud not in CLOUDS or config_of(stack)[CLOUD] == cloud]


def planned(config: dict[str, Any], stack: str) -> Any:
    """The plan of a stack. Raises ``Refused``."""
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in config.items()}
    return plan_of(config[CLOUD], texts, stack)


@pytest.mark.parametrize("name", FILES)
def test_a_stack_file_is_planned(name: str):
    """It fits the JSON Schema, and the plan refuses nothing."""
    config = FILES[name]

    assert list(Draft202012Validator(schema_of(config[CLOUD])).iter_errors({"config": config})) == []
    assert planned(config, "dev")


@pytest.mark.parametrize("name", KEYS)
def test_keys_are_taken_by_a_stack(name: str):
    """What one of our stacks takes, with that key and its others as they are."""
    block, text = KEYS[name]
    refusals = []
    for stack in stacks_for(block):
        try:
            assert planned({**config_of(stack), **yaml.safe_load(text)}, stack)
            return
        except Refused as refused:
            refusals.append(f"{stack}: {refused}")
    pytest.fail("\n".join(refusals))


def test_the_first_way_to_inject_works_on_every_cluster():
    """On the version of Kubernetes that a stack has by itself."""
    (first, *_) = (text for block, text in KEYS.values() if page_of(block) == "docs/injection.md")

    for stack in (each for each in STACKS if config_of(each)[CLOUD] != "gce"):
        assert planned({**config_of(stack), **yaml.safe_load(first)}, stack), stack


@pytest.mark.parametrize("name", PODS)
def test_a_pod_is_one(name: str):
    """The types of Kubernetes' SDK know each key, and no rule of the API server is broken but what is left to you."""
    import pulumi_kubernetes.core.v1  # noqa: F401  # which the check asks

    pod = json.loads(json.dumps(PODS[name]), parse_int=str)  # a quantity may be a number, which the SDK does not know

    assert check_inputs("kubernetes:core/v1:Pod", pod) == []
    assert broken("kubernetes:core/v1:Pod", pod) == []


def patches(block: Block) -> Iterator[dict[str, Any]]:
    """What pods add on the pools of the stacks that a page is about."""
    for stack in stacks_for(block):
        plan = planned(config_of(stack), stack)
        if config_of(stack)[CLOUD] != "gce":
            yield from (workload.pod_patch() for workload in plan.in_cluster.workloads.values())


@pytest.mark.parametrize("name", [name for name, pod in PODS.items() if "resourceClaims" in pod["spec"]])
def test_a_pod_takes_what_its_stack_gives(name: str):
    """Its node selector, its toleration and its claim templates are those of one pool."""
    spec = PODS[name]["spec"]
    templates = {claim["resourceClaimTemplateName"] for claim in spec["resourceClaims"]}
    given = [
        patch
        for patch in patches(BLOCKS[name])
        if patch["nodeSelector"] == spec["nodeSelector"] and templates <= {*patch["claimTemplates"]}
    ]

    assert given
    assert any(patch["tolerations"] == spec["tolerations"] for patch in given), given[0]["tolerations"]


def test_every_block_is_held():
    """Each is a stack file, keys of one, a pod, or has a test of its own, which reads its page."""
    held = {*FILES, *PODS, *(name.rpartition("+")[0] for name in KEYS)}

    assert set(BLOCKS) - held == set()
    for page, test in ELSEWHERE.items():
        assert page.rpartition("/")[2] in (ROOT / test).read_text()
