"""CEL selectors over devices, evaluated by Google's own CEL runtime (``cel-expr-python``).

The library is imported at the first expression. Against Kubernetes' CEL it lacks the API server's own libraries
(``quantity``, ``semver``, ``includes``, ``sets``, ``ip``, ``cidr``, ``url``, ``format``, regex ``find``, list sums and
indices) and two-variable comprehensions: such an expression is an error here that names the gap, never a silent no.
"""

import re
from functools import cache, lru_cache
from typing import Any

from .device import Device, Version

_DOMAIN = re.compile(r"""\b(?:attributes|capacity)\s*\[\s*\??\s*(?:"([^"]+)"|'([^']+)')""")


class Aborted(ValueError):
    """What ends the scheduling of a pod with an error: no other choice of devices and no other node is tried."""


class CelError(Aborted):
    """An expression that does not compile, or that a device makes fail."""


@cache
def _environment() -> Any:
    from cel_expr_python import cel
    from cel_expr_python.ext.ext_bindings import ExtBindings
    from cel_expr_python.ext.ext_optional import ExtOptional
    from cel_expr_python.ext.ext_strings import ExtStrings

    return cel.NewEnv(variables={"device": cel.Type.DYN}, extensions=[ExtOptional(), ExtStrings(), ExtBindings()])


@cache
def _compiled(expression: str) -> tuple[Any, tuple[str, ...]]:
    """The program, and the domains it reads."""
    try:
        program = _environment().compile(expression)
    except RuntimeError as error:
        reason = str(error).splitlines()[0].partition("ERROR: ")[2] or str(error)
        gap = "; Kubernetes may know it, this CEL library does not" if "undeclared reference" in reason else ""
        raise CelError(f"{expression}: {reason}{gap}") from None
    return program, tuple({a or b for a, b in _DOMAIN.findall(expression)})


@lru_cache(maxsize=1 << 14)
def matches(expression: str, device: Device) -> bool:
    """Whether the device passes the selector, as the scheduler decides it."""
    program, domains = _compiled(expression)
    # A domain that a device does not have reads as an empty map in Kubernetes, not as an error.
    attributes: dict[str, dict[str, bool | int | str]] = {domain: {} for domain in domains}
    for qualified, value in device.attributes.items():
        domain, _, key = qualified.rpartition("/")
        attributes.setdefault(domain, {})[key] = str(value) if isinstance(value, Version) else value
    seen = {"driver": device.driver, "attributes": attributes, "capacity": {}, "allowMultipleAllocations": False}
    result = program.eval(data={"device": seen})
    value = result.value()
    if not isinstance(value, bool):
        # An error value prints as KIND: text.
        got = str(value).partition(": ")[2] if result.type().name() == "ERROR" else f"got {value!r}, not a bool"
        raise CelError(f"{expression}: {got or value} (device {device.name} of {device.driver})")
    return value
