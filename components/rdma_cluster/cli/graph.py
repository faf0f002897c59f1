"""``rdma-cluster graph diff``: what a change of configuration adds, removes and changes, and what that destroys."""

import json as json_module
from pathlib import Path

from ..faults import Fault, Refused
from ..offline import Graph, diff, render
from ..offline.replacements import refusals, replacements
from . import losses
from .output import as_json


def show_diff(a: Path, b: Path, json: bool) -> int:
    """Print the difference. Returns 1 when there is one. Raises ``Refused`` for files that hold no graph."""
    before, after = _read(a), _read(b)
    changes, anew = diff(before, after), replacements(before, after)
    refused = refusals(before, after, anew)
    if json:
        print(as_json({**changes.to_dict(), "replaced": anew, "refused": losses.refused_as_data(refused)}))
    else:
        lines = [*losses.replaced(anew, after), *losses.refused(refused)]
        print(render(changes) + "".join(f"! {line}\n" for line in lines))
    return 1 if changes else 0


def _read(path: Path) -> Graph:
    try:
        return Graph.from_dict(json_module.loads(path.read_text()))
    except OSError as error:
        raise Refused([Fault((str(path),), error.strerror or "cannot be read")]) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Refused(
            [Fault((str(path),), "holds no graph; make one with `rdma-cluster preview STACK --json`")]
        ) from None
