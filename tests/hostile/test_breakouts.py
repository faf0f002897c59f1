"""A text that would do something in a shell, a template or a policy is refused, or stands where nothing reads it."""

import re
from collections.abc import Iterator
from contextlib import chdir
from typing import Any

import pytest
from pulumi_offline.errors import Refused
from pulumi_offline.project import Settings
from rdma_cluster.cli.preview import run_program
from rdma_cluster.common.stack import plan_of
from tests.hostile.keys import FORMS, TEXTS, TextKey, text_keys
from tests.stacks import ROOT

pytestmark = pytest.mark.variant

QUICK = ("$(HF_TOKEN)", "'", "\n")
"""For `make test`, and for a key that another cloud had before; `make thorough` tries the others."""
KEYS = {f"{key.cloud} {key.name}": (key, again) for key, again in text_keys()}

AS_DATA = {
    "gce acceptance.rerun": [],  # in the name of the order alone, as a digest
    "acceptance.rerun": [r"kubernetes:core/v1:ConfigMap \.data\.run\.json"],
    "inference.weights.annotations": [
        r"kubernetes:leaderworkerset\S+ \.spec\.leaderWorkerTemplate\.(leader|worker)Template\.metadata\.annotations\.",
    ],
    "inference.vllm_args": [
        r"kubernetes:leaderworkerset\S+ \.spec\.leaderWorkerTemplate\.\S+\.containers\[0\]\.args\["
    ],
    "eks pools.placement_group": [r"aws:ec2/launchTemplate\S+ \.placement\.groupName"],
    "gke kubernetes.existing.node_service_account": [
        r"gcp:container/nodePool\S+ \.nodeConfig\.serviceAccount",
    ],
    "aks tags": [r"azure-native:\S+ \.\S*tags\."],
    "oke tags": [r"oci:\S+ \.\S*[fF]reeformTags\."],
    "oke pools.image.url": [r"oci:\S+ \S*\.(sourceUri|imageId|displayName)"],
    "oke ssh_public_key": [r"oci:\S+ \S*\.metadata\.ssh_authorized_keys"],
    "queues.dispatch.clusters.dispatch": [],  # read as JSON: what stands around it is gone, what it holds is a Secret's
    "oke storage.object_store.bucket": [],  # refused whatever it says
    "oke identity.domain.name": [r"oci:Identity/policy\S+ \.statements\["],
}  # fmt: skip
"""Keys of which some are taken, and every place where they go: an API takes them for values, and nobody reads more."""


def places_of(key: TextKey) -> list[str] | None:
    """The places where a key's texts may be; ``None`` for a key of which none is taken."""
    return AS_DATA.get(f"{key.cloud} {key.name}", AS_DATA.get(key.name))


def refusal(key: TextKey, settings: Settings) -> list[str] | None:
    """The errors of a stack without indices; ``None`` where it has none."""
    try:
        plan_of(key.cloud, settings.config, settings.stack)
    except Refused as refused:
        return [re.sub(r"\[\d+\]", "", str(each)) for each in refused.errors]
    return None


def cases() -> Iterator[Any]:
    """All keys; those of a second cloud are for `make thorough`."""
    for name, (key, again) in KEYS.items():
        yield pytest.param(key, QUICK, FORMS[1:2], id=name, marks=[pytest.mark.thorough] if again else [])
        if not again:
            yield pytest.param(key, TEXTS, FORMS, id=f"{name}, all", marks=[pytest.mark.thorough])


def test_the_list_of_keys_is_whole():
    """It follows from the schemas, and names nothing that is gone."""
    assert {"gke pools.name", "oke ssh_public_key", "aks pools.labels", "eks registries"} <= set(KEYS)
    assert set(AS_DATA) <= {*KEYS, *(key.name for key, _ in KEYS.values())}


@pytest.mark.parametrize(("key", "texts", "forms"), list(cases()))
def test_a_hostile_text_is_refused_by_an_error_that_names_its_key(
    key: TextKey, texts: tuple[str, ...], forms: tuple[str, ...]
):
    if places_of(key) is not None:
        return
    taken = []
    for text in texts:
        for form in forms:
            for settings in key.settings(text, form):
                errors = refusal(key, settings)
                if errors is None or not any(each.startswith((key.spelt, ".".join(key.steps))) for each in errors):
                    taken.append((text, form, errors))

    assert taken == []


NONE_TAKEN = {"oke storage.object_store.bucket", "aks queues.dispatch.clusters.dispatch"}
TAKEN = [name for name, (key, again) in KEYS.items() if places_of(key) is not None and not again]


@pytest.mark.thorough
@pytest.mark.parametrize("name", TAKEN)
def test_a_hostile_text_that_is_taken_stands_where_it_is_a_value(name: str):
    key, _ = KEYS[name]
    taken = [
        (text, settings)
        for text in ("zq$(HF_TOKEN)", "zq`id`", "zq'\"", "zq{{ x }}")
        # What follows a public key is a comment.
        for settings in key.settings(text, "{sound} {hostile}" if key.name == "ssh_public_key" else "{sound}{hostile}")
        if refusal(key, settings) is None
    ]
    if not taken:
        assert name in NONE_TAKEN
        return
    text, settings = taken[0]
    with chdir(ROOT):
        graph = run_program(ROOT, settings)
    found = [
        f"{each.type} {path}"
        for each in graph.resources
        if not each.type.startswith("rdma-cluster:")
        for path in holding(each.inputs, text[:3])
    ]

    expected = places_of(key) or []
    assert [each for each in found if not any(re.match(place, each) for place in expected)] == []
    assert [place for place in expected if not any(re.match(place, each) for each in found)] == []


def holding(value: Any, text: str, path: str = "") -> Iterator[str]:
    """The paths of all keys and values in which a text is."""
    if isinstance(value, dict):
        for name, each in value.items():
            if text in name:
                yield f"{path}.(key)"
            yield from holding(each, text, f"{path}.{name}")
    elif isinstance(value, list):
        for i, each in enumerate(value):
            yield from holding(each, text, f"{path}[{i}]")
    elif isinstance(value, str) and text in value:
        yield path
