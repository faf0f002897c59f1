"""Values as they travel between a program and the engine: decoding them, and showing them without their secrets."""

from typing import Any, TypeAlias

from .unknowns import UNKNOWN

Struct: TypeAlias = Any
"""A `google.protobuf.struct_pb2.Struct`; protobuf ships no types for it."""

# The protocol's magic strings; tests/offline/test_sdk.py holds them to the SDK's own.
SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"
ASSET = "c44067f5952c0a294b673a41bacd8c17"
ARCHIVE = "0def7320c3a5731c473e5ecbe6d01bc7"
RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e"
OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"


def decode(struct: Struct) -> dict[str, Any]:
    """A struct as plain data with sorted keys. Nulls are dropped, whole numbers are ints, signed values stay signed."""
    fields = struct.fields
    return {key: decode_value(fields[key]) for key in sorted(fields) if fields[key].WhichOneof("kind") != "null_value"}


def decode_value(value: Any) -> Any:
    """One value of a struct as plain data, see `decode`."""
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return value.string_value
    if kind == "struct_value":
        return decode(value.struct_value)
    if kind == "list_value":
        return [decode_value(item) for item in value.list_value.values]
    if kind == "bool_value":
        return value.bool_value
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    return None


def signature(value: Any) -> str | None:
    """What a signed value is (`SECRET`, `ASSET`, ...), or None for plain data."""
    return value.get(SIGNATURE) if isinstance(value, dict) else None


def unwrap(value: Any) -> Any:
    """The value inside a secret, or the value itself."""
    while signature(value) == SECRET:
        value = value.get("value")
    return value


def show(value: Any) -> Any:
    """A decoded value as JSON for a reader: secrets and unknowns by a word, resources by URN, assets by source.

    The mark by which the engine knows an exported resource from other objects is left out.
    """
    if isinstance(value, list):
        return [show(item) for item in value]
    if not isinstance(value, dict):
        return "[unknown]" if value == UNKNOWN else value
    kind = value.get(SIGNATURE)
    if kind is None:
        return {key: show(item) for key, item in value.items() if key != "@isPulumiResource"}
    if kind == SECRET:
        return "[secret]"
    if kind == RESOURCE:
        return value["urn"]
    source = {key: show(item) for key, item in value.items() if key != SIGNATURE}
    return {"asset" if kind == ASSET else "archive": source}
