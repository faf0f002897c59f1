"""Kinds that charts of ours define, as tests look at them."""

from typing import Any

from rdma_rehearsal.controlplane.objects import RECORDED, definition, is_recorded

__all__ = ["RECORDED", "closed", "definition", "is_recorded"]


def closed(schema: Any) -> Any:
    """A recorded schema as JSON Schema, in which what is not recorded is not known."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    return {**inner, "additionalProperties": False} if "properties" in inner and "type" in inner else inner
