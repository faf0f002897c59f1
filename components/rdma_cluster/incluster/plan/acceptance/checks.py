"""The options of an acceptance test, each checked for itself."""

import re

from ....catalog import find
from ....catalog.machine import Machine
from ....errors import ErrorList
from ....kubernetes_names import check_key, check_taint
from ....nccl.busbw import COLLECTIVES
from ....nccl.expectation import size_text
from ..images import check_image, check_registries
from .args import AcceptanceImages, NcclAcceptanceArgs
from .thresholds import BadThresholdError, largest_row, parse_thresholds, row_from

_FOLDERS = ("nccl_tests", "mpirun")
_PATH = re.compile(r"[\w./][\w./+-]*", re.ASCII)
"""Of a file in an image. Kubernetes puts variables in the place of ``$(NAME)``; on plain machines a shell reads it."""
_IMAGES = tuple(key for key in AcceptanceImages.__annotations__ if key not in _FOLDERS)


def check_choice(args: NcclAcceptanceArgs, errors: ErrorList) -> None:
    """Each option for itself."""
    check_key(args["pool_label"], errors.at("pool_label"))
    check_taint(args["taint"], errors.at("taint"))
    if waived := args.get("waive"):
        from ....nccl.verdict import GATES  # the judge, which few plans need

        for i, gate in enumerate(waived):
            if gate not in GATES:
                errors.at("waive", i).add(f"got {gate!r}; no such gate, known are {', '.join(GATES)}")
    also = args.get("also_run", [])
    for i, collective in enumerate(also):
        if collective not in COLLECTIVES:
            errors.at("also_run", i).add(f"got {collective!r}; nccl-tests has {', '.join(COLLECTIVES)}")
        elif collective in also[:i]:
            errors.at("also_run", i).add(f"{collective} is listed twice; name each collective once")
    machines = [pool["machine"] for pool in args["pools"]]
    # Thresholds of machines that the pools have, each of one collective.
    at = errors.at("thresholds")
    for machine, words in args.get("thresholds", {}).items():
        if machine not in machines:
            at.at(machine).add(f"no pool has such machines; the pools have {', '.join(sorted(set(machines)))}")
        _check_threshold(words, find(machine), also, at.at(machine))
    check_registries(args.get("registries", {}), errors.at("registries"))
    images = args.get("images", {})
    for key in _IMAGES:
        check_image(images.get(key, key), errors.at("images", key))
    for key in _FOLDERS:
        if not _PATH.fullmatch(path := images.get(key, key)):
            got = f"got {path!r}" if path.strip() else "empty"
            errors.at("images", key).add(f"{got}; write a path of letters, digits and ._+-/, or leave the key out")


def _check_threshold(words: list[str], machine: Machine | None, also: list[str], errors: ErrorList) -> None:
    try:
        thresholds = parse_thresholds(words)
    except BadThresholdError as error:
        errors.add(str(error))
        return
    if len(thresholds.keys() - set(also)) > 1:
        errors.add("thresholds of several collectives; one is run, name those of one, or add the others to also_run")
    memory = machine.gpu.memory_gib if machine is not None and machine.gpu is not None else None
    for line in (line for lines in thresholds.values() for line in lines):
        if memory is not None and row_from(line.size_bytes) > (most := largest_row(memory)):
            errors.add(
                f"a threshold from {size_text(line.size_bytes)} on; on GPUs of {memory} GiB nccl-tests runs sizes up "
                f"to {size_text(most)}, so that it would never be measured; name one of these"
            )
