"""How a registry's challenge is answered: by this machine's credential for it, or as nobody.

``oras`` reads credentials (those of `docker login`, and credential helpers) and speaks the registries' token protocol.
"""

import os
from typing import Any

import requests
from oras.auth import get_auth_backend
from oras.container import Container

HUB = "registry-1.docker.io"
"""Where docker.io answers."""
_HUB_LOGIN = "https://index.docker.io/v1/"
"""What `docker login` calls it, in its file and before credential helpers."""


def authorization(challenge: requests.Response, host: str, session: requests.Session) -> tuple[dict[str, str], bool]:
    """The header that answers ``challenge``, empty where there is none, and whether a credential is known."""
    said = challenge.headers.get("Www-Authenticate", "")
    basic = _backend("basic", host, session)
    try:
        header = basic.get_auth_header()
    except AttributeError:  # so it says that it has found none
        header = {}
    if not said or said.lower().startswith("basic"):
        return header, bool(header)
    headers, _changed = _backend("token", host, session).authenticate_request(challenge, {})
    return headers, bool(header)


def _backend(kind: str, host: str, session: requests.Session) -> Any:
    # Any: each kind answers challenges, and what they share does not.
    backend = get_auth_backend(kind, session)
    place = Container(f"{host}/-/-")
    if host == HUB:
        place.registry = _HUB_LOGIN
    folder = os.environ.get("DOCKER_CONFIG")  # oras itself reads the one in the home folder alone
    backend.load_configs(place, [os.path.join(folder, "config.json")] if folder else None)
    return backend
