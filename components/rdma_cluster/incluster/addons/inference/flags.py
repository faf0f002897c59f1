"""The user's own words for ``vllm serve``: flags that it has, and none that are decided here."""

from difflib import get_close_matches
from itertools import pairwise

from ....catalog.vllm import BARE, SWITCHES, VALUED, VERSION
from ....faults import Faults

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


def check_words(words: list[str], faults: Faults, *, own_image: bool) -> None:
    """Every flag is one of vLLM's; of an image of the user's own nobody knows which those are."""
    takes = False
    for i, word in enumerate(words):
        takes = _check_word(word, faults.at(i), takes, own_image=own_image) is True
    for i, (word, after) in enumerate(pairwise([*words, "--"])):
        _check_value(word, after, faults.at(i), own_image=own_image)


def _check_value(word: str, after: str, faults: Faults, *, own_image: bool) -> None:
    """What takes a value has one, and no other flag has."""
    flag, has, _ = word.partition("=")
    name = _name(word)
    if not word.startswith("--") or name in _OURS:
        return
    if not has and name in VALUED and after.startswith("--"):
        faults.add(f"{word} takes a value; write {word}=VALUE")
    elif has and name in _ALONE and not own_image:
        faults.add(f"{flag} takes no value; write it alone, or leave it out")


def _check_word(word: str, faults: Faults, before_takes: bool, *, own_image: bool) -> bool:
    """Whether a value may follow."""
    if not word.startswith("--"):
        if not before_takes:
            faults.add(f"got {word!r}, which no flag before it takes; write --FLAG or --FLAG=VALUE")
        return before_takes
    name = _name(word)
    if name in _OURS:
        faults.add(f"--{name} is set by this library, from {_OURS[name]}; remove it")
    elif name not in _KNOWN and not own_image:
        near = ", ".join(f"--{each}" for each in get_close_matches(name, _KNOWN, n=3))
        faults.add(f"vllm serve {VERSION} has no --{name}; {f'nearest are {near}' if near else 'remove it'}")
    return name in VALUED or own_image


def _name(word: str) -> str:
    """``--max_num_seqs=64`` is ``max-num-seqs``; parts of a JSON value stand behind a dot."""
    return word.removeprefix("--").partition("=")[0].partition(".")[0].replace("_", "-")
