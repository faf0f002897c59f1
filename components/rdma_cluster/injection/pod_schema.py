"""Whether a pod has the API's form, as far as injection reads it."""

from collections.abc import Mapping
from typing import Any

from pulumi_offline.errors import ErrorList, show

_NAMED = {"name": str}
_TERM = {"matchExpressions": [{"key": str, "operator": str, "values": [str]}]}
_AFFINITY = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [_TERM]}}}
_CONTAINER = {
    "name": str,
    "resources": {"limits": {}, "claims": [_NAMED]},
    "env": [_NAMED],
    "volumeMounts": [{"mountPath": str}],
    "securityContext": {"capabilities": {"add": [str]}},
}
_POD = {
    "metadata": {"annotations": {}, "labels": {}},
    "spec": {
        "containers": [_CONTAINER],
        "initContainers": [_CONTAINER],
        "nodeSelector": {},
        "affinity": _AFFINITY,
        "tolerations": [{}],
        "volumes": [_NAMED],
        "resourceClaims": [_NAMED],
    },
}
"""Sets of keys, lists of them, and texts. What is no text may be absent, or null, as the API has it."""


def check_pod(pod: Mapping[str, Any], errors: ErrorList) -> None:
    """Add every part that has another form, each by its path."""
    _check(pod, _POD, errors)
    if pod["spec"]["containers"] == []:
        errors.at("spec", "containers").add("empty; a pod has one container at the least")


def _check(value: Any, form: Any, errors: ErrorList) -> None:
    if form is str:
        if not isinstance(value, str):
            errors.add("missing" if value is None else f"must be a string, got {show(value)}; put it in quotes")
    elif value is None:
        return
    elif isinstance(form, list):
        if not isinstance(value, list):
            errors.add(f"must be a list, got {show(value)}; write a dash before each item")
            return
        for i, item in enumerate(value):
            if item is None and form[0] is not str:
                errors.at(i).add("empty; remove the dash, or write what stands there")
            else:
                _check(item, form[0], errors.at(i))
    elif not isinstance(value, Mapping):
        errors.add(f"must be a set of keys, got {show(value)}; write KEY: VALUE")
    else:
        for key, inner in form.items():
            _check(value.get(key), inner, errors.at(key))
