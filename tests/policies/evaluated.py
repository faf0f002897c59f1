"""Admission policies put to requests by Google's CEL runtime, as an API server does it; `make e2e` has a real one."""

import re
from functools import cache
from typing import Any

from cel_expr_python import cel
from cel_expr_python.ext.ext_optional import ExtOptional


@cache
def _environment() -> Any:
    variables = dict.fromkeys(("object", "oldObject", "request"), cel.Type.DYN)
    return cel.NewEnv(variables=variables, extensions=[ExtOptional()])


@cache
def _compiled(expression: str) -> Any:
    return _environment().compile(expression)


def value(expression: str, data: dict[str, Any]) -> Any:
    """Of an expression; an error of it is one here."""
    result = _compiled(expression).eval(data=data)
    assert result.type().name() != "*error*", f"{expression}: {result}"
    return result.value()


def request_of(user: str, operation: str, resource: str, **more: Any) -> dict[str, Any]:
    """What a policy sees of a request: ``resource`` with its group in front, and a subresource behind a slash."""
    group, _, kind = resource.rpartition(".")
    return {
        "operation": operation,
        "resource": {"group": group, "resource": kind},
        "userInfo": {"username": user, **more},
    }


def concerns(spec: dict[str, Any], request: dict[str, Any], new: Any, old: Any = None) -> bool:
    """Whether a policy looks at a request at all."""
    asked = request["resource"]
    matched = any(
        {asked["group"], "*"} & {*rule["apiGroups"]}
        and asked["resource"] in rule["resources"]
        and {request["operation"], "*"} & {*rule["operations"]}
        and {"v1", "*"} & {*rule["apiVersions"]}
        for rule in spec["matchConstraints"]["resourceRules"]
    )
    data = {"object": new, "oldObject": old, "request": request}
    return matched and all(value(each["expression"], data) for each in spec.get("matchConditions", ()))


def refusals(spec: dict[str, Any], request: dict[str, Any], new: Any, old: Any = None) -> list[str]:
    """The messages with which a validating policy refuses a request."""
    if not concerns(spec, request, new, old):
        return []
    data = {"object": new, "oldObject": old, "request": request}
    return [each["message"] for each in spec["validations"] if not value(each["expression"], data)]


def patches(spec: dict[str, Any], new: Any) -> list[dict[str, Any]]:
    """The patches of a mutating policy. This runtime knows no ``JSONPatch`` and no ``Object``: they are plain here."""
    (mutation,) = spec["mutations"]
    plain = re.sub(r"\b(?:JSONPatch|Object(?:\.\w+)*)\{", "{", mutation["jsonPatch"]["expression"])
    plain = re.sub(r"(?<=[{ ])(\w+): ", r"'\1': ", plain)
    return [_plain(each) for each in value(plain, {"object": new, "oldObject": None, "request": {}})]


def _plain(made: Any) -> Any:
    made = made.value() if hasattr(made, "value") else made
    if hasattr(made, "items"):
        return {_plain(key): _plain(of) for key, of in made.items()}
    return made if isinstance(made, str | int | bool) else [_plain(each) for each in made]
