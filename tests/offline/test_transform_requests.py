"""What a transform is handed of a registration or a call, and what of its answer counts."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from pulumi.runtime.proto import callback_pb2
from pulumi.runtime.proto.resource_pb2 import (
    RegisterResourceRequest,
    ResourceInvokeRequest,
    TransformInvokeRequest,
    TransformInvokeResponse,
    TransformRequest,
    TransformResponse,
)
from pulumi_offline.codec import OUTPUT, SECRET, SIGNATURE, decode
from pulumi_offline.transforms import Callbacks, _options_of

Changes = Callable[[Any], Any]
answered: Any = TransformResponse
invoke_answered: Any = TransformInvokeResponse


def callbacks(*functions: Changes) -> tuple[Callbacks, list[str]]:
    """Those of a program, and their tokens; each gets the request of a transform."""
    made, names = Callbacks(None), [f"t{index}" for index in range(len(functions))]

    def listening(function: Changes) -> Any:
        async def answer(data: bytes) -> Any:
            return function(data)

        return answer

    made._callbacks = {name: listening(function) for name, function in zip(names, functions, strict=True)}
    return made, names


def transformed(request: RegisterResourceRequest, *functions: Callable[[TransformRequest], Any]) -> Any:
    """A registration as transforms leave it."""
    made, names = callbacks(*(lambda data, of=of: of(TransformRequest.FromString(data)) for of in functions))
    with closing(asyncio.new_event_loop()) as loop:
        return loop.run_until_complete(made.transform(request, names))


def request(inputs: dict[str, Any], **fields: Any) -> RegisterResourceRequest:
    """A registration."""
    made = RegisterResourceRequest(type="t:index:Rail", name="rail", custom=True, parent="urn:p", **fields)
    made.object.update(inputs)
    return made


OWN = {"transforms": [callback_pb2.Callback(token="own")]}
OPTIONS = [
    ({"importId": "i"}, "import", "i"),
    ({"dependencies": ["urn:b", "urn:a"]}, "depends_on", ["urn:b", "urn:a"]),
    ({"protect": True}, "protect", True),
    ({"ignoreChanges": ["b", "a"]}, "ignore_changes", ["b", "a"]),
    ({"replaceOnChanges": ["a"]}, "replace_on_changes", ["a"]),
    ({"version": "1.2.3"}, "version", "1.2.3"),
    ({"provider": "urn::id"}, "provider", "urn::id"),
    ({"providers": {"gcp": "urn::id"}}, "providers", {"gcp": "urn::id"}),
    ({"hideDiffs": ["a"]}, "hide_diff", ["a"]),
    ({"pluginDownloadURL": "https://x"}, "plugin_download_url", "https://x"),
    ({"pluginChecksums": {"linux": b"1"}}, "plugin_checksums", {"linux": b"1"}),
    ({"retainOnDelete": True}, "retain_on_delete", True),
    ({"deletedWith": "urn:c"}, "deleted_with", "urn:c"),
    ({"replace_with": ["urn:r"]}, "replace_with", ["urn:r"]),
    ({"additionalSecretOutputs": ["a"]}, "additional_secret_outputs", ["a"]),
]


@pytest.mark.parametrize(("fields", "name", "value"), OPTIONS, ids=[name for _, name, _ in OPTIONS])
def test_an_option_goes_there_and_back(fields: dict[str, Any], name: str, value: Any):
    """A transform sees it, and a registration that it answers nothing for is what it was."""
    given = request({"a": 1}, **fields, **OWN)
    seen: list[TransformRequest] = []

    changed = transformed(given, lambda asked: seen.append(asked) or TransformResponse())

    shown = getattr(seen[0].options, name)
    assert (dict(shown) if isinstance(value, dict) else list(shown) if isinstance(value, list) else shown) == value
    assert changed == given


@pytest.mark.parametrize("fields", [{}, {"customTimeouts": {"create": "1m"}}, {"hooks": {"after_create": ["h"]}}])
def test_messages_within_options(fields: dict[str, Any]):
    """One that is not there stays away: it would be an empty one."""
    options = _options_of(request({}, **fields))

    assert options.HasField("custom_timeouts") is ("customTimeouts" in fields)
    assert options.HasField("hooks") is ("hooks" in fields)
    assert options.custom_timeouts.create == fields.get("customTimeouts", {}).get("create", "")


@pytest.mark.parametrize("chosen", [None, False, True])
def test_delete_before_replace_is_yes_no_or_nothing(chosen: bool | None):
    """A transform can tell what was not said from a no, and so can who reads what it leaves."""
    said = {} if chosen is None else {"deleteBeforeReplaceDefined": True, "deleteBeforeReplace": chosen}
    given = request({}, **said)

    assert _options_of(given).HasField("delete_before_replace") is (chosen is not None)
    assert _options_of(given).delete_before_replace is bool(chosen)
    changed = transformed(given, lambda asked: TransformResponse())
    assert (changed.deleteBeforeReplaceDefined, changed.deleteBeforeReplace) == (chosen is not None, bool(chosen))


def test_who_is_asked_about_what():
    """Type, name, parent and kind of the resource reach the transform beside its inputs."""
    seen: list[TransformRequest] = []
    transformed(request({"a": 1}), lambda asked: seen.append(asked) or TransformResponse())
    (asked,) = seen

    assert (asked.type, asked.name, asked.parent, asked.custom) == ("t:index:Rail", "rail", "urn:p", True)
    assert decode(asked.properties) == {"a": 1}


def test_each_sees_what_the_one_before_has_left():
    """Properties and options both; an answer without one of them leaves that as it was."""

    def renamed(asked: TransformRequest) -> TransformResponse:
        answer = TransformResponse()
        answer.properties.update({**decode(asked.properties), "b": 2})
        return answer

    def protected(asked: TransformRequest) -> TransformResponse:
        answer = TransformResponse(options=asked.options)
        answer.options.protect = True
        return answer

    changed = transformed(request({"a": 1}, ignoreChanges=["x"]), renamed, protected, lambda asked: TransformResponse())

    assert decode(changed.object) == {"a": 1, "b": 2}
    assert changed.protect and list(changed.ignoreChanges) == ["x"]


def test_an_option_that_is_taken_away_is_gone():
    """What a transform leaves out of its options is not kept from the registration."""
    given = request({}, ignoreChanges=["x"], protect=True, customTimeouts={"create": "1m"})
    changed = transformed(given, lambda asked: answered(options={}))

    assert not changed.ignoreChanges and not changed.protect and not changed.HasField("customTimeouts")


@pytest.mark.parametrize("own", [True, False])
def test_dependencies_are_read_of_a_resource_s_own_transforms(own: bool):
    """As in the engine: one of a parent or of the stack cannot add any."""
    given = request({}, dependencies=["urn:b", "urn:a"], **(OWN if own else {}))
    changed = transformed(given, lambda asked: answered(options={"depends_on": ["urn:c"]}))

    assert list(changed.dependencies) == (["urn:c"] if own else ["urn:b", "urn:a"])


@pytest.mark.parametrize("own", [True, False])
def test_properties_that_come_from_others(own: bool):
    """A resource's own transforms get them as outputs with the resources that they are from."""
    secret = {SIGNATURE: SECRET, "value": "hush"}
    given = request({"known": 1, "hidden": secret, "free": 2, "alone": 3}, **(OWN if own else {}))
    given.propertyDependencies["known"].urns.extend(["urn:a", "urn:b"])
    given.propertyDependencies["hidden"].urns.extend(["urn:a"])
    given.propertyDependencies["free"].urns.extend([])
    given.propertyDependencies["elsewhere"].urns.extend(["urn:a"])
    seen: list[TransformRequest] = []
    transformed(given, lambda asked: seen.append(asked) or TransformResponse())

    output = {SIGNATURE: OUTPUT, "value": "hush", "secret": True}
    assert decode(seen[0].properties) == {
        "known": {SIGNATURE: OUTPUT, "value": 1, "dependencies": ["urn:a", "urn:b"]} if own else 1,
        "hidden": {**output, "dependencies": ["urn:a"]} if own else output,
        "free": 2,
        "alone": 3,
    }


def test_calls_of_functions():
    """Each transform sees what the one before has left, and changes arguments, options or neither."""
    seen: list[TransformInvokeRequest] = []

    def elsewhere(data: bytes) -> TransformInvokeResponse:
        answer = TransformInvokeResponse()
        answer.args.update({"region": "r2"})
        return answer

    def by_another(data: bytes) -> Any:
        seen.append(TransformInvokeRequest.FromString(data))
        return invoke_answered(options={"provider": "q::id", "version": "2", "plugin_download_url": "https://y"})

    made, names = callbacks(elsewhere, by_another, lambda data: TransformInvokeResponse())
    call = ResourceInvokeRequest(tok="f", provider="p::id", version="1", pluginDownloadURL="https://x")
    call.args.update({"region": "r"})
    with closing(asyncio.new_event_loop()) as loop:
        changed = loop.run_until_complete(made.transform_invoke(call, names))

    assert (seen[0].token, decode(seen[0].args)) == ("f", {"region": "r2"})
    handed = seen[0].options
    assert (handed.provider, handed.version, handed.plugin_download_url) == ("p::id", "1", "https://x")
    assert (changed.tok, decode(changed.args)) == ("f", {"region": "r2"})
    assert (changed.provider, changed.version, changed.pluginDownloadURL) == ("q::id", "2", "https://y")
    assert decode(call.args) == {"region": "r"} and call.provider == "p::id"


def test_hooks_are_never_run_and_migrations_have_a_name():
    """A preview keeps what they are called, and no more."""

    def migrated() -> None:
        """Never called."""

    made, _ = callbacks()

    assert made.register_resource_hook(None) is None and made.register_error_hook(None) is None
    assert made.register_state_migration(migrated).token.endswith("<locals>.migrated")
