"""What a provider returns in a preview: the inputs, where outputs have the same form."""

from collections import abc
from collections.abc import Mapping
from inspect import isclass
from typing import Any, get_args, get_origin

from ..offline import sdk
from ..offline.wire import SIGNATURE
from ..unknowns import UNKNOWN


def previewed(token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs as outputs of a preview. Outputs of another form are unknown: Azure takes identities as a list of ids and
    returns a map by id; AWS takes policies as objects and returns text.
    """
    cls = sdk.resource_class(token)
    known = sdk.outputs(cls) if cls else {}
    return {key: _as_output(value, known.get(key, Any)) for key, value in inputs.items()}


def _as_output(value: Any, hint: Any) -> Any:
    if not isinstance(value, dict | list) or SIGNATURE in value:
        return value
    for kind in sdk.alternatives(hint):
        origin, args = get_origin(kind), get_args(kind)
        if isinstance(value, list) and origin in (list, abc.Sequence):
            return [_as_output(item, args[0]) for item in value]
        if isinstance(value, dict) and origin in (dict, abc.Mapping):
            return {key: _as_output(item, args[1]) for key, item in value.items()}
        if isinstance(value, dict) and isclass(kind) and sdk.is_output_class(kind):
            inner = sdk.outputs(kind)
            return {key: _as_output(item, inner.get(key, Any)) for key, item in value.items()}
        if kind is Any:
            return value
    return UNKNOWN
