"""Options of a registration: what a program sets is shown, and what an SDK adds is not."""

from typing import Any

import pytest
from pulumi.runtime.proto.alias_pb2 import Alias
from pulumi.runtime.proto.callback_pb2 import Callback
from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest
from pulumi_offline.options import options

UNSORTED = ["b", "a", "d", "c"]
KEYS = "hgfedcba"


def shown(**fields: Any) -> dict[str, Any]:
    """The options of a registration."""
    return options(RegisterResourceRequest(type="t:index:Rail", **fields))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"customTimeouts": {"delete": "2m"}}, {"customTimeouts": {"delete": "2m"}}),
        ({"customTimeouts": {"update": "3m"}}, {"customTimeouts": {"update": "3m"}}),
        ({"customTimeouts": {}, "protect": False}, {}),
        ({"deleteBeforeReplace": True}, {}),
        ({"deleteBeforeReplaceDefined": True}, {"deleteBeforeReplace": False}),
        ({"deleteBeforeReplaceDefined": True, "deleteBeforeReplace": True}, {"deleteBeforeReplace": True}),
        (
            {"additionalSecretOutputs": UNSORTED, "replaceOnChanges": UNSORTED, "retainOnDelete": True},
            {"additionalSecretOutputs": sorted(UNSORTED), "replaceOnChanges": sorted(UNSORTED), "retainOnDelete": True},
        ),
        ({"deletedWith": "urn:a", "importId": "x"}, {"deletedWith": "urn:a", "import": "x"}),
        ({"hideDiffs": UNSORTED}, {"hideDiffs": ["a", "b", "c", "d"]}),
        ({"replace_with": UNSORTED}, {"replaceWith": ["a", "b", "c", "d"]}),
        ({"hooks": {"before_create": UNSORTED}}, {"hooks": {"beforeCreate": UNSORTED}}),
        ({"hooks": {"on_error": ["a"]}}, {"hooks": {"onError": ["a"]}}),
        ({"replacement_trigger": {"string_value": "t"}}, {"replacementTrigger": "t"}),
        ({"pluginDownloadURL": "https://x"}, {"pluginDownloadURL": "https://x"}),
        ({"state_migrations": [Callback(token="m"), Callback(token="k")]}, {"stateMigrations": ["m", "k"]}),
    ],
)
def test_an_option_that_was_set_is_shown(fields: dict[str, Any], expected: dict[str, Any]):
    """A list whose order means nothing is sorted; hooks and migrations keep their order."""
    assert shown(**fields) == expected


def test_keys_of_maps_are_sorted():
    """Environment variables stand by name, and so do providers, without their ids."""
    mappings = shown(envVarMappings={key: key.upper() for key in KEYS})["envVarMappings"]
    providers = shown(providers={key: f"urn:{key}::id" for key in KEYS})["providers"]

    assert list(mappings.items()) == [(key, key.upper()) for key in "abcdefgh"]
    assert list(providers.items()) == [(key, f"urn:{key}") for key in "abcdefgh"]


def test_aliases_for_older_types_are_left_out_of_a_generated_class():
    """Its SDK adds them; those of a component, and of another package, are the program's own."""
    older = [Alias(spec=Alias.Spec(type="t:v1:Rail")), Alias(urn="urn:a"), Alias(spec=Alias.Spec(type="u:v2:Rail"))]

    assert shown(custom=True, aliases=older) == {"aliases": ["urn:a", {"type": "u:v2:Rail"}]}
    assert shown(custom=False, aliases=older)["aliases"][0] == {"type": "t:v1:Rail"}
