"""``rdma-cluster graph diff``: what a change of configuration adds, removes and changes."""

import json as json_module
from pathlib import Path

from ..faults import Fault, Refused
from ..offline import Graph, diff, render
from ..offline.graph import title
from ..offline.replacements import replacements
from .output import as_json


def show_diff(a: Path, b: Path, json: bool) -> int:
    """Print the difference. Returns 1 when there is one. Raises ``Refused`` for files that hold no graph."""
    before, after = _read(a), _read(b)
    found, anew = diff(before, after), replacements(before, after)
    print(as_json({**found.to_dict(), "replaced": anew}) if json else f"{render(found)}{_anew(anew)}")
    return 1 if found else 0


def _anew(found: dict[str, list[str]]) -> str:
    """What cannot change in place, and how many others hang on it."""
    roots = {urn: fixed for urn, reasons in found.items() if (fixed := [each for each in reasons if each not in found])}
    lines = []
    for urn, fixed in roots.items():
        others = len(_below(urn, found))
        tail = f", and {others} that hang on it" if others else ""
        lines.append(f"! {title(urn)} is made anew{tail}: {', '.join(fixed[:3])}{', ...' if fixed[3:] else ''}")
    return "".join(f"{line}\n" for line in lines)


def _below(urn: str, found: dict[str, list[str]]) -> set[str]:
    """What is made anew since ``urn`` is."""
    below = {each for each, reasons in found.items() if urn in reasons}
    return below.union(*(_below(each, found) for each in below))


def _read(path: Path) -> Graph:
    try:
        return Graph.from_dict(json_module.loads(path.read_text()))
    except OSError as error:
        raise Refused([Fault((str(path),), error.strerror or "cannot be read")]) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Refused(
            [Fault((str(path),), "holds no graph; make one with `rdma-cluster preview STACK --json`")]
        ) from None
