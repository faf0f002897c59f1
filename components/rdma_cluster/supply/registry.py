"""What registries and Helm repositories answer for an artifact: digest, size, processors, signature.

Requests are our own, not those of ``oras``: its client waits two minutes for a server that is not there.
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
from requests.adapters import HTTPAdapter
from ..catalog.artifact import in_parts
from .credentials import HUB, authorization
from .fetched import Fetched
from .lock import Locked

_SECONDS = 20.0
"""Of one request, from its first byte to its last."""
_LONGEST = 16 << 20
"""Bytes of an answer; an index of a Helm repository has up to some ten million."""
_AT_ONCE = 8
_CUT = "its registry cannot be reached, or cut the connection"
_INDEXES = ("application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json")
_MANIFESTS = ("application/vnd.oci.image.manifest.v1+json", "application/vnd.docker.distribution.manifest.v2+json")
_CONFIGS = ("application/vnd.oci.image.config.v1+json", "application/vnd.docker.container.image.v1+json")
_SIGNATURES = {
    "application/vnd.dev.cosign.artifact.sig.v1+json": "cosign",
    "application/vnd.dev.sigstore.bundle.v0.3+json": "sigstore",
    "application/vnd.cncf.notary.signature": "notation",
}
"""What an artifact that refers to another is, by https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md
and https://github.com/notaryproject/specifications/blob/main/specs/signature-specification.md."""


_LICENSES = ("org.opencontainers.image.licenses", "artifacthub.io/license")
"""Of images (opencontainers/image-spec, annotations.md), and of charts (artifacthub.io/docs, annotations in
Chart.yaml). Helm copies a chart's own annotations into its manifest (helm v3.20.2 pkg/registry)."""


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
        return _CUT
    except (ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError):
        return "its registry answers what is no manifest"


def _of_registry(wanted: Fetched) -> Locked:
    repository, version = in_parts(wanted.reference)
    tag, _mark, pinned = version.partition("@")
    registry = _Repository(repository)
    manifest, digest, media_type = registry.manifest(pinned or tag or "latest")
    if media_type in _INDEXES or "manifests" in manifest:
        by_processor = _by_processor(manifest)
        parts = {name: registry.manifest(by_processor[name])[0] for name in _asked(wanted, by_processor)}
        platforms = {name: by_processor[name] for name in parts}
        config = registry.config(next(iter(parts.values()), {}))
    else:
        config = registry.config(manifest)
        by_processor = {config["architecture"]: digest} if config.get("architecture") else {}
        platforms = dict.fromkeys(_asked(wanted, by_processor), digest) if by_processor else {}
        parts = {"": manifest}
    if pinned and tag and wanted.kind == "image":
        moved = registry.manifest(tag)[1]
        if moved != pinned:
            raise NotHad(f"its tag has moved to {moved}; pods still take {pinned}")
    size = sum(int(layer["size"]) for each in parts.values() for layer in each.get("layers", ()))
    signature, licenses = registry.signature(digest), _licenses(manifest, *parts.values(), config)
    return Locked(
        wanted.reference, wanted.kind, digest, size, media_type, platforms, signature, licenses, holds=wanted.holds
    )


def _asked(wanted: Fetched, built: Mapping[str, str]) -> list[str]:
    """The processors that matter of those that an image is built for. Raises ``NotHad`` where one is missing."""
    if missing := sorted(set(wanted.architectures) - set(built)):
        raise NotHad(f"not built for {', '.join(missing)}, but for {', '.join(sorted(built)) or 'nothing'}")
    return sorted(wanted.architectures or built)


def _licenses(*said: Mapping[str, Any]) -> str:
    """What the first of some manifests and configurations says: an image's in labels, a chart's in annotations."""
    for each in said:
        words = {**(each.get("annotations") or {}), **((each.get("config") or {}).get("Labels") or {})}
        for key in _LICENSES:
            if isinstance(found := words.get(key), str) and found.strip():
                return found.strip()
    return ""


def _by_processor(index: Mapping[str, Any]) -> dict[str, str]:
    """Digests of the images of an index; what only tells of a build has no processor."""
    return {
        each["platform"]["architecture"]: each["digest"]
        for each in index["manifests"]
        if each.get("platform", {}).get("os") == "linux"
    }


class _InTime(HTTPAdapter):
    """Requests that wait no longer than others do."""

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        return super().send(request, *args, **{**kwargs, "timeout": _SECONDS})


def place_of(repository: str) -> tuple[str, str]:
    """The host of a repository, and where its registry answers for it. A name without a host is one of docker.io."""
    host, slash, path = repository.partition("/")
    if not slash or not ("." in host or ":" in host or host == "localhost"):
        host, path = HUB, repository if slash else f"library/{repository}"
    elif host == "docker.io":
        host = HUB
    # As container runtimes have it: only a registry on the machine itself is spoken to without TLS.
    scheme = "http" if urlsplit(f"//{host}").hostname in ("localhost", "127.0.0.1", "::1") else "https"
    return host, f"{scheme}://{host}/v2/{path}"


class _Repository:
    """One repository of a registry; a token is good for one."""

    def __init__(self, repository: str):
        self._host, self._url = place_of(repository)
        self._session = requests.Session()
        for each in ("http://", "https://"):
            self._session.mount(each, _InTime())  # what asks for a token sets no time
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

    def config(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """What a manifest's configuration says, where it has one. Raises ``NotHad``."""
        named = manifest.get("config") or {}
        if named.get("mediaType") not in _CONFIGS:
            return {}
        body, _ = self._get(f"{self._url}/blobs/{named['digest']}", named["mediaType"])
        if named["digest"] != f"sha256:{sha256(body).hexdigest()}":
            raise NotHad(f"its registry answers other bytes than {named['digest']} names")
        return json.loads(body)

    def signature(self, digest: str) -> str:
        """How a manifest is signed, as far as the registry shows it."""
        tag = digest.replace(":", "-")
        # A registry without that question has the same list under a tag (opencontainers/distribution-spec v1.1,
        # "Referrers Tag Schema").
        for listed in (f"referrers/{digest}", f"manifests/{tag}"):
            try:
                body, _ = self._get(f"{self._url}/{listed}", _INDEXES[0])
                kinds = [each.get("artifactType", "") for each in json.loads(body).get("manifests", ())]
                if found := sorted({_SIGNATURES[kind] for kind in kinds if kind in _SIGNATURES}):
                    return ", ".join(found)
            except (NotHad, ValueError, AttributeError):
                pass
        try:
            self._get(f"{self._url}/manifests/{tag}.sig", _MANIFESTS[0])
        except NotHad:
            return ""
        return "cosign"

    def _get(self, url: str, accept: str) -> tuple[bytes, Mapping[str, str]]:
        body, response = _bounded(self._session, url, {**self._headers, "Accept": accept})
        if response.status_code == 401 and not self._headers:
            self._headers, self._logged_in = authorization(response, self._host, self._session)
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
        if not body:  # headers that end with the connection are none to Python
            raise NotHad(_CUT)
        return body, response.headers

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
