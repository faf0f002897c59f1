"""What registries and Helm repositories answer for an artifact: digest, size, processors, signature.

Credentials are those of the machine's containers (`docker login`, credential helpers). ``oras`` reads these and speaks
the registries' token protocol; requests are our own: its client waits two minutes for a server that is not there.
"""

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import requests
import yaml
from oras.auth import get_auth_backend
from oras.auth.utils import load_configs
from oras.container import Container

from ..catalog.artifact import in_parts
from .fetched import Fetched
from .lock import Locked

_SECONDS = 20.0
"""Of one request, from its first byte to its last."""
_LONGEST = 16 << 20
"""Bytes of an answer; an index of a Helm repository has up to some ten million."""
_AT_ONCE = 8
_INDEXES = ("application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json")
_MANIFESTS = ("application/vnd.oci.image.manifest.v1+json", "application/vnd.docker.distribution.manifest.v2+json")
_HUB = "registry-1.docker.io"  # where docker.io answers
_HUB_LOGIN = "https://index.docker.io/v1/"  # what `docker login` calls it
_SIGNATURES = {
    "application/vnd.dev.cosign.artifact.sig.v1+json": "cosign",
    "application/vnd.dev.sigstore.bundle.v0.3+json": "sigstore",
    "application/vnd.cncf.notary.signature": "notation",
}
"""What an artifact that refers to another is, by https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md
and https://github.com/notaryproject/specifications/blob/main/specs/signature-specification.md."""


class NotHad(Exception):
    """Why an artifact cannot be had; the message is for people."""


def ask(wanted: Iterable[Fetched]) -> dict[str, Locked | str]:
    """An answer for each, or the reason why there is none, by reference."""
    listed = list(wanted)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return dict(zip([each.reference for each in listed], pool.map(_answer, listed), strict=True))


def _answer(wanted: Fetched) -> Locked | str:
    try:
        return _of_helm(wanted) if wanted.kind == "helm" else _of_registry(wanted)
    except NotHad as reason:
        return str(reason)
    except requests.exceptions.SSLError:
        return "its registry's certificate is not trusted here"
    except requests.exceptions.Timeout:
        return f"no answer within {_SECONDS:.0f} s"
    except (requests.exceptions.RequestException, OSError):
        return "its registry cannot be reached, or cut the connection"
    except (ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError):
        return "its registry answers what is no manifest"


def _of_registry(wanted: Fetched) -> Locked:
    repository, version = in_parts(wanted.reference)
    tag, _mark, pinned = version.partition("@")
    registry = _Repository(repository)
    manifest, digest, media_type = registry.manifest(pinned or tag or "latest")
    platforms: dict[str, str] = {}
    size = _size(manifest)
    if media_type in _INDEXES or "manifests" in manifest:
        by_processor = _by_processor(manifest)
        if missing := sorted(set(wanted.architectures) - set(by_processor)):
            raise NotHad(f"not built for {', '.join(missing)}, but for {', '.join(sorted(by_processor)) or 'nothing'}")
        platforms = {name: by_processor[name] for name in sorted(wanted.architectures or by_processor)}
        size = sum(_size(registry.manifest(each)[0]) for each in platforms.values())
    if pinned and tag and wanted.kind == "image":
        moved = registry.manifest(tag)[1]
        if moved != pinned:
            raise NotHad(f"its tag has moved to {moved}; pods still take {pinned}")
    return Locked(
        wanted.reference, wanted.kind, digest, size, media_type, platforms, registry.signature(digest), wanted.holds
    )


def _by_processor(index: Mapping[str, Any]) -> dict[str, str]:
    """Digests of the images of an index; what only tells of a build has no processor."""
    return {
        each["platform"]["architecture"]: each["digest"]
        for each in index["manifests"]
        if each.get("platform", {}).get("os") == "linux"
    }


def _size(manifest: Mapping[str, Any]) -> int:
    return sum(int(layer["size"]) for layer in manifest.get("layers", ()))


class _Repository:
    """One repository of a registry; a token is good for one."""

    def __init__(self, repository: str):
        host, slash, path = repository.partition("/")
        if not slash or not ("." in host or ":" in host or host == "localhost"):
            host, path = "docker.io", repository if slash else f"library/{repository}"
        self._host = _HUB if host == "docker.io" else host
        # As container runtimes have it: only a registry on the machine itself is spoken to without TLS.
        scheme = "http" if urlsplit(f"//{host}").hostname in ("localhost", "127.0.0.1", "::1") else "https"
        self._url = f"{scheme}://{self._host}/v2/{path}"
        self._session = requests.Session()
        self._headers: dict[str, str] = {}

    def manifest(self, version: str) -> tuple[dict[str, Any], str, str]:
        """A manifest by tag or digest, the digest of its bytes, and its media type. Raises ``NotHad``."""
        accept = ", ".join((*_INDEXES, *_MANIFESTS))
        body, headers = self._get(f"{self._url}/manifests/{version}", accept)
        digest = f"sha256:{sha256(body).hexdigest()}"
        if version.startswith("sha256:") and version != digest:
            raise NotHad(f"its registry answers other bytes than {version} names")
        if (said := headers.get("Docker-Content-Digest", digest)) != digest:
            raise NotHad(f"its registry calls {said} what has the digest {digest}")
        manifest = json.loads(body)
        return manifest, digest, manifest.get("mediaType") or headers.get("Content-Type", "").partition(";")[0]

    def signature(self, digest: str) -> str:
        """How a manifest is signed, as far as the registry shows it."""
        try:
            body, _ = self._get(f"{self._url}/referrers/{digest}", _INDEXES[0])
            kinds = [each.get("artifactType", "") for each in json.loads(body).get("manifests", ())]
            if found := sorted({_SIGNATURES[kind] for kind in kinds if kind in _SIGNATURES}):
                return ", ".join(found)
        except (NotHad, ValueError, AttributeError):
            pass  # a registry without that question
        try:
            self._get(f"{self._url}/manifests/{digest.replace(':', '-')}.sig", _MANIFESTS[0])
        except NotHad:
            return ""
        return "cosign"

    def _get(self, url: str, accept: str) -> tuple[bytes, Mapping[str, str]]:
        body, response = _bounded(self._session, url, {**self._headers, "Accept": accept})
        if response.status_code == 401 and not self._headers:
            self._log_in(response)
            body, response = _bounded(self._session, url, {**self._headers, "Accept": accept})
        if response.status_code in (401, 403):
            known = "the credential for it is refused" if self._logged_in else "it wants a credential"
            raise NotHad(f"{known}; run `docker login {self._host}`")
        if response.status_code == 404:
            raise NotHad("not there")
        if response.status_code == 429:
            raise NotHad("its registry has had too many questions; log in to it, or try again later")
        if response.status_code != 200:
            raise NotHad(f"its registry answers {response.status_code}")
        return body, response.headers

    def _log_in(self, challenge: requests.Response) -> None:
        """Answers a challenge with the machine's credential for this registry, or as nobody."""
        said = challenge.headers.get("Www-Authenticate", "")
        config = load_configs()
        if self._host == _HUB and _HUB_LOGIN in config["auths"]:
            config["auths"][_HUB] = config["auths"][_HUB_LOGIN]
        backend = get_auth_backend("basic" if said.lower().startswith("basic") else "token", self._session)
        backend._auth_config = config
        backend.load_configs(Container(f"{self._host}/-/-"))
        self._logged_in = hasattr(backend, "_basic_auth")
        if not said or ("Basic" in said and not self._logged_in):
            return
        headers, _changed = backend.authenticate_request(challenge, {})
        self._headers = {"Authorization": headers["Authorization"]} if headers.get("Authorization") else {}

    _logged_in = False


def _of_helm(wanted: Fetched) -> Locked:
    """What the index of a Helm repository says of a chart's archive."""
    repo, name, version = wanted.reference.split(" ")
    body, response = _bounded(requests.Session(), f"{repo.rstrip('/')}/index.yaml", {})
    if response.status_code != 200:
        raise NotHad(f"its repository answers {response.status_code}")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    listed = yaml.load(body, loader)["entries"].get(name, ())  # a safe loader
    entry = next((each for each in listed if each["version"] == version), None)
    if entry is None:
        raise NotHad("not in its repository's index")
    if not entry.get("digest"):
        raise NotHad("its repository's index has no digest of it")
    digest = f"sha256:{entry['digest'].removeprefix('sha256:')}"
    return Locked(wanted.reference, "helm", digest, 0, "application/gzip", {}, holds=False)


def _bounded(session: requests.Session, url: str, headers: Mapping[str, str]) -> tuple[bytes, requests.Response]:
    """An answer within time and size, however slowly it drips."""
    end = monotonic() + _SECONDS
    with session.get(url, headers=dict(headers), timeout=_SECONDS, stream=True) as response:
        body = bytearray()
        try:
            for piece in response.iter_content(1 << 16):
                body += piece
                if len(body) > _LONGEST:
                    raise NotHad(f"its registry answers more than {_LONGEST >> 20} MiB")
                if monotonic() > end:
                    raise requests.exceptions.Timeout
        except requests.exceptions.ConnectionError as error:
            if monotonic() > end:  # this is how it calls a body that does not come
                raise requests.exceptions.Timeout from error
            raise
    return bytes(body), response
