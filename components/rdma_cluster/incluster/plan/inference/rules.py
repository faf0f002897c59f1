"""What a user writes of a served model, each value for itself."""

import re

from ....clouds.names import check_key, check_taint
from ....faults import Faults
from ....unread import holds, items, rule
from ..claim_templates import check_namespace
from ..dra_drivers import Part
from ..images import check_image, check_registries
from .args import DistributedInferenceArgs, InferenceWeights
from .flags import check_words

_SECRET = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
_PATH = re.compile(r"(?!.*\.\.)[\w.-]+(/[\w.-]+)*", re.ASCII)


@rule
def check_choice(args: DistributedInferenceArgs, faults: Faults) -> None:
    """The form of everything, and what does not go together."""
    check_key(args["pool_label"], faults.at("pool_label"))
    check_taint(args["taint"], faults.at("taint"))
    check_registries(args.get("registries", {}), faults.at("registries"))
    if "namespace" in args:
        check_namespace(args["namespace"], [], faults.at("namespace"))
    if "image" in args:
        check_image(args["image"], faults.at("image"))
    if holds(lambda: args.get("controller") == Part.MANAGED):
        faults.at("controller").add("got managed; no cloud brings it; choose installed or existing")
    for i, gate in enumerate(items(args.get("waive", []))):
        _check_gate(gate, faults.at("waive", i))
    if holds(lambda: args.get("start_minutes", 1) < 1):
        faults.at("start_minutes").add(f"got {args.get('start_minutes')}; must be 1 or more")
    _check_secret(args.get("api_key_secret", "x"), faults.at("api_key_secret"))
    _check_weights(args.get("weights", {}), faults.at("weights"))
    if "vllm_args" in args:
        check_words(args["vllm_args"], faults.at("vllm_args"), own_image="image" in args)


@rule
def _check_gate(gate: str, faults: Faults) -> None:
    from ....nccl.serving import GATES

    if gate not in GATES:
        faults.add(f"got {gate!r}; no such gate, known are {', '.join(GATES)}")


@rule
def _check_account(name: str, faults: Faults) -> None:
    if not _SECRET.fullmatch(name):
        faults.add(f"got {name!r}; the name of a service account is lower-case letters, digits, hyphens and dots")


@rule
def _check_weights(weights: InferenceWeights, faults: Faults) -> None:
    _check_secret(weights.get("token_secret", "x"), faults.at("token_secret"))
    for key in ("gb", "claim_gb"):
        _check_gb(weights.get(key, 1), faults.at(key))
    if "claim" in weights:
        for key in ("revision", "token_secret"):
            if key in weights:
                faults.at(key).add("not allowed with claim, from which nothing is downloaded; remove one of the two")
    else:
        for key in ("path", "claim_gb", "annotations", "service_account"):
            if key in weights:
                faults.at(key).add("says something of a claim, and none is named; name it in claim, or remove it")
    _check_path(weights.get("path", "x"), faults.at("path"))
    _check_account(weights.get("service_account", "x"), faults.at("service_account"))
    for key in weights.get("annotations", {}):
        check_key(key, faults.at("annotations", key))


@rule
def _check_gb(size: int, faults: Faults) -> None:
    if size < 1:
        faults.add(f"got {size}; must be 1 or more")


@rule
def _check_path(path: str, faults: Faults) -> None:
    if not _PATH.fullmatch(path):
        faults.add(f"got {path!r}; write a folder of the claim without a slash at either end, e.g. llama/405b")


@rule
def _check_secret(name: str, faults: Faults) -> None:
    if not _SECRET.fullmatch(name):
        faults.add(f"got {name!r}; the name of a Secret is lower-case letters, digits, hyphens and dots")
