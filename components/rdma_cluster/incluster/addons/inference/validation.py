"""What a user writes of a served model, each value for itself, and flags for ``vllm serve``."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise

from pulumi_offline.errors import ErrorList
from ....base.kubernetes_names import check_key, check_object_name
from ....catalog.models import MODELS
from ....catalog.vllm import BARE, SWITCHES, VALUED, VERSION
from ...plan.claim_templates import check_namespace, our_namespaces
from ...plan.images import check_image
from .args import InferenceOptions, InferenceWeights

_MOST_MINUTES = 7 * 24 * 60  # as long as a job may wait for its pods
_MODEL = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_REVISION = re.compile(r"\w[\w./-]*", re.ASCII)
_PATH = re.compile(r"(?!.*\.\.)[\w.-]+(/[\w.-]+)*", re.ASCII)
_ALONE = SWITCHES | BARE | {f"no-{each}" for each in SWITCHES}
_KNOWN = VALUED | _ALONE
_OURS = {
    "model": "model",
    "served-model-name": "model",
    "revision": "weights.revision",
    "tensor-parallel-size": "split",
    "pipeline-parallel-size": "split",
    "distributed-executor-backend": "nodes",
    "nnodes": "nodes",
    "node-rank": "nodes",
    "master-addr": "nodes",
    "master-port": "nodes",
    "headless": "nodes",
    "distributed-timeout-seconds": "start_minutes",
    "max-model-len": "max_model_len",
    "gpu-memory-utilization": "max_model_len",
    "host": "namespace",
    "port": "namespace",
    "api-key": "api_key_secret",
    "hf-token": "weights.token_secret",
    "download-dir": "weights",
}
"""Flags that are set already, with the key that they follow from."""


def check_choice(options: InferenceOptions, waive: Sequence[str], errors: ErrorList) -> None:
    """Check the form of everything, and what does not go together."""
    if "namespace" in options:
        _check_namespace(options["namespace"], errors.at("namespace"))
    if "image" in options:
        check_image(options["image"], errors.at("image"))
    for i, gate in enumerate(waive):
        from nccl_verdict.serving import GATES

        if gate not in GATES:
            errors.at("waive", i).add(f"got {gate!r}; no such gate, known are {', '.join(GATES)}")
    if not 1 <= (minutes := options.get("start_minutes", 1)) <= _MOST_MINUTES:
        errors.at("start_minutes").add(f"got {minutes}; must be 1 to {_MOST_MINUTES}, a week")
    check_object_name(options.get("api_key_secret", "x"), "Secret", errors.at("api_key_secret"))
    _check_weights(options.get("weights", {}), errors.at("weights"))
    if "vllm_args" in options:
        _check_words(options["vllm_args"], errors.at("vllm_args"), own_image="image" in options)
    if not _MODEL.fullmatch(options["model"]):
        known = next(iter(MODELS))
        errors.at("model").add(f"got {options['model']!r}; write ORGANISATION/MODEL as on Hugging Face, e.g. {known}")


def _check_namespace(namespace: str, errors: ErrorList) -> None:
    if (taken := our_namespaces().get(namespace)) is not None:
        errors.add(f"{namespace} is made by this library for {taken}; take another name")
    else:
        check_namespace(namespace, [], errors)


def _check_weights(weights: InferenceWeights, errors: ErrorList) -> None:
    for key, kind in (
        ("token_secret", "Secret"),
        ("claim", "PersistentVolumeClaim"),
        ("service_account", "service account"),
    ):
        check_object_name(weights.get(key, "x"), kind, errors.at(key))
    if not _REVISION.fullmatch(revision := weights.get("revision", "x")):
        errors.at("revision").add(f"got {revision!r}; write a commit, branch or tag of the model, or leave the key out")
    for key in ("gb", "claim_gb"):
        if (size := weights.get(key, 1)) < 1:
            errors.at(key).add(f"got {size}; must be 1 or more")
    if "claim" in weights:
        for key in ("revision", "token_secret"):
            if key in weights:
                volume = "storage" if weights.get("storage") else "claim"
                errors.at(key).add(
                    f"not allowed with {volume}, from which nothing is downloaded; remove one of the two"
                )
    elif weights.get("storage"):
        errors.at("storage").add(
            "no storage with a claim is here; give the stack an objectStore, or a claim in storage.existing, or name a "
            "claim of your own in claim"
        )
    else:
        for key in ("path", "claim_gb", "annotations", "service_account"):
            if key in weights:
                errors.at(key).add("says something of a claim, and none is named; name it in claim, or remove it")
    if not _PATH.fullmatch(path := weights.get("path", "x")):
        errors.at("path").add(
            f"got {path!r}; write a folder of the claim without a slash at either end, e.g. llama/405b"
        )
    for key in weights.get("annotations", {}):
        check_key(key, errors.at("annotations", key))


def _check_words(words: list[str], errors: ErrorList, *, own_image: bool) -> None:
    """Every flag is one of vLLM's; the flags of an image of the user's own are not known.

    What takes several words has a name in the plural; that it does is not verified of each.
    """
    left = 0  # how many words the flag before still takes
    for i, word in enumerate(words):
        if word.startswith("--"):
            name = _name(word)
            _check_flag(name, errors.at(i), own_image=own_image)
            several = own_image or name.endswith("s")
            left = 0 if "=" in word or not (own_image or name in VALUED) else len(words) if several else 1
        elif left > 0:
            left -= 1
        else:
            errors.at(i).add(f"got {word!r}, which no flag before it takes; write --FLAG or --FLAG=VALUE")
    for i, (word, after) in enumerate(pairwise([*words, "--"])):
        _check_value(word, after, errors.at(i), own_image=own_image)


def _check_value(word: str, after: str, errors: ErrorList, *, own_image: bool) -> None:
    """What takes a value has one, and no other flag has."""
    flag, has, _ = word.partition("=")
    name = _name(word)
    if not word.startswith("--") or name in _OURS:
        return
    if not has and name in VALUED and after.startswith("--"):
        errors.add(f"{word} takes a value; write {word}=VALUE")
    elif has and name in _ALONE and not own_image:
        errors.add(f"{flag} takes no value; write it alone, or leave it out")


def _check_flag(name: str, errors: ErrorList, *, own_image: bool) -> None:
    """A flag of vLLM's that is the user's to set."""
    if name in _OURS:
        errors.add(f"--{name} is set by this library, from {_OURS[name]}; remove it")
    elif name not in _KNOWN and not own_image:
        near = ", ".join(f"--{each}" for each in get_close_matches(name, _KNOWN, n=3))
        errors.add(f"vllm serve {VERSION} has no --{name}; {f'nearest are {near}' if near else 'remove it'}")


def _name(word: str) -> str:
    """``--max_num_seqs=64`` is ``max-num-seqs``; parts of a JSON value stand behind a dot."""
    return word.removeprefix("--").partition("=")[0].partition(".")[0].replace("_", "-")
