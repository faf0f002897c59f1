"""Options of a registration, one at a time: what a program sets is shown, and what an SDK adds is not."""

from typing import Any

import pytest
from pulumi.runtime.proto.alias_pb2 import Alias
from pulumi.runtime.proto.callback_pb2 import Callback
from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest
from pulumi_offline.options import options, reference_urn

TOKEN = "t:index:Rail"
UNSORTED = ["b", "a", "d", "c"]
KEYS = "hgfedcba"


def shown(**fields: Any) -> dict[str, Any]:
    """The options of a registration."""
    return options(RegisterResourceRequest(type=TOKEN, **fields))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {}),
        ({"additionalSecretOutputs": UNSORTED}, {"additionalSecretOutputs": ["a", "b", "c", "d"]}),
        ({"customTimeouts": {"create": "1m"}}, {"customTimeouts": {"create": "1m"}}),
        ({"customTimeouts": {"delete": "2m"}}, {"customTimeouts": {"delete": "2m"}}),
        ({"customTimeouts": {"update": "3m"}}, {"customTimeouts": {"update": "3m"}}),
        ({"customTimeouts": {}}, {}),
        ({"deletedWith": "urn:c"}, {"deletedWith": "urn:c"}),
        ({"deleteBeforeReplace": True}, {}),
        ({"deleteBeforeReplaceDefined": True}, {"deleteBeforeReplace": False}),
        ({"deleteBeforeReplaceDefined": True, "deleteBeforeReplace": True}, {"deleteBeforeReplace": True}),
        ({"hideDiffs": UNSORTED}, {"hideDiffs": ["a", "b", "c", "d"]}),
        ({"hooks": {"before_create": UNSORTED}}, {"hooks": {"beforeCreate": UNSORTED}}),
        ({"hooks": {"after_create": ["a"]}}, {"hooks": {"afterCreate": ["a"]}}),
        ({"hooks": {"before_update": ["a"]}}, {"hooks": {"beforeUpdate": ["a"]}}),
        ({"hooks": {"after_update": ["a"]}}, {"hooks": {"afterUpdate": ["a"]}}),
        ({"hooks": {"before_delete": ["a"]}}, {"hooks": {"beforeDelete": ["a"]}}),
        ({"hooks": {"after_delete": ["a"]}}, {"hooks": {"afterDelete": ["a"]}}),
        ({"hooks": {"on_error": ["a"]}}, {"hooks": {"onError": ["a"]}}),
        ({"ignoreChanges": UNSORTED}, {"ignoreChanges": ["a", "b", "c", "d"]}),
        ({"importId": "i"}, {"import": "i"}),
        ({"pluginDownloadURL": "https://x"}, {"pluginDownloadURL": "https://x"}),
        ({"protect": True}, {"protect": True}),
        ({"protect": False}, {}),
        ({"providers": {"gcp": "urn:g::id"}}, {"providers": {"gcp": "urn:g"}}),
        ({"replaceOnChanges": UNSORTED}, {"replaceOnChanges": ["a", "b", "c", "d"]}),
        ({"replace_with": UNSORTED}, {"replaceWith": ["a", "b", "c", "d"]}),
        ({"replacement_trigger": {"string_value": "t"}}, {"replacementTrigger": "t"}),
        ({"retainOnDelete": True}, {"retainOnDelete": True}),
        ({"state_migrations": [Callback(token="m"), Callback(token="k")]}, {"stateMigrations": ["m", "k"]}),
        ({"version": "1.2.3"}, {"version": "1.2.3"}),
    ],
)
def test_each_option(fields: dict[str, Any], expected: dict[str, Any]):
    """A list whose order means nothing is sorted; hooks and migrations run in the order that they were given."""
    assert shown(**fields) == expected


def test_keys_of_maps_are_sorted():
    """Environment variables and providers by name stand in one order in every run."""
    mappings = shown(envVarMappings={key: key.upper() for key in KEYS})["envVarMappings"]
    providers = shown(providers={key: f"urn:{key}::id" for key in KEYS})["providers"]

    assert list(mappings.items()) == [(key, key.upper()) for key in "abcdefgh"]
    assert list(providers.items()) == [(key, f"urn:{key}") for key in "abcdefgh"]


@pytest.mark.parametrize(
    ("alias", "expected"),
    [
        ({"urn": "urn:a"}, "urn:a"),
        ({"spec": {"name": "n"}}, {"name": "n"}),
        ({"spec": {"stack": "s", "project": "p"}}, {"stack": "s", "project": "p"}),
        ({"spec": {"name": "n", "parentUrn": "urn:p"}}, {"name": "n", "parent": "urn:p"}),
        ({"spec": {"name": "n", "noParent": True}}, {"name": "n", "parent": None}),
        ({"spec": {"type": "t:index:Old", "name": "n"}}, {"type": "t:index:Old", "name": "n"}),
        ({"spec": {"type": "u:index:Old"}}, {"type": "u:index:Old"}),
    ],
)
def test_aliases(alias: dict[str, Any], expected: Any):
    """Each says what was another: of a program's own aliases none is left out."""
    assert shown(custom=True, aliases=[Alias(**alias)]) == {"aliases": [expected]}


def test_older_types_are_the_sdk_s():
    """A generated class adds aliases of its own package's older types; those of a component are the program's."""
    older = [Alias(spec=Alias.Spec(type="t:v1:Rail")), Alias(urn="urn:a"), Alias(spec=Alias.Spec(type="t:v2:Rail"))]

    assert shown(custom=True, aliases=older) == {"aliases": ["urn:a"]}
    assert shown(custom=False, aliases=older) == {"aliases": [{"type": "t:v1:Rail"}, "urn:a", {"type": "t:v2:Rail"}]}


@pytest.mark.parametrize(("reference", "urn"), [("urn:a::b::c::id", "urn:a::b::c"), ("", "")])
def test_a_reference_to_a_provider(reference: str, urn: str):
    """It is the provider's URN and its id; only the URN is the same in every run."""
    assert reference_urn(reference) == urn
