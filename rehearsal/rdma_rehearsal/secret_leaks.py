"""Secrets that a stack's state holds in plain text."""

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from pulumi_offline.codec import SIGNATURE

SENSITIVE = frozenset((
    "accessKey", "accessToken", "clientKey", "clientSecret", "kubeConfig", "kubeConfigRaw", "kubeconfig", "kubeconfigs",
    "password", "privateKey", "secretKey", "sessionToken", "token",
))  # fmt: skip
"""Properties whose values are secret wherever they stand."""
_TELLING = re.compile(r"certificate-authority-data|client-key-data|-----BEGIN [A-Z ]*PRIVATE KEY-----")


def plain_secrets(exported: str) -> list[str]:
    """Where kubeconfigs, tokens and keys can be read in a state: the resource and the path of each."""
    return [
        f"{resource['urn'].rpartition('::')[2]}: {path}"
        for resource in json.loads(exported)["deployment"].get("resources") or []
        for side in ("inputs", "outputs")
        for path, key, text in _texts(resource.get(side) or {}, side, "")
        if text and (key in SENSITIVE or _is_telling(text))
    ]


def _texts(value: Any, path: str, key: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(value, str):
        yield path, key, value
    elif isinstance(value, dict) and SIGNATURE not in value:
        for name, inner in value.items():
            yield from _texts(inner, f"{path}.{name}", name)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, f"{path}[{index}]", key)


def _is_telling(text: str) -> bool:
    if _TELLING.search(text):
        return True
    try:
        return len(text) > 64 and _TELLING.search(b64decode(text, validate=True).decode()) is not None
    except ValueError:
        return False
