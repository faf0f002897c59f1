"""Made-up charts in the place of those that a stack installs: real kinds, and pods that a fake kubelet can have ready.

What Helm is asked for stays what the stack says. A chart of an OCI registry lies in the plugin's folder under the very
reference, where the provider looks first; one of a repository is fetched over HTTPS, from a proxy that answers for each
repository and lets nothing out.
"""

import io
import json
import tarfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ...controlplane.objects import ANYTHING, defined, definition, is_recorded
from ..proxy import Authority, ProxyHandler, proxy

BRINGS: Mapping[str, tuple[str, ...]] = {
    "dra-driver-nvidia-gpu": ("resource.nvidia.com",),
    "gpu-operator": ("nvidia.com",),
    "jobset": ("jobset.x-k8s.io",),
    "kueue": ("kueue.x-k8s.io",),
    "lws": ("leaderworkerset.x-k8s.io",),
    "network-operator": ("mellanox.com", "nfd.k8s-sigs.io"),
    "prometheus-operator-crds": ("monitoring.coreos.com",),
}
"""The API groups whose kinds a chart defines."""
HOOKED = ("gpu-operator", "network-operator")
"""Charts with a hook before each upgrade, which applies their kinds (github.com/NVIDIA/gpu-operator@v26.3.3
deployments/gpu-operator/templates/upgrade_crd.yaml; Mellanox/network-operator has the same), seen 2026-11-23."""
_STATUS = {"status": {}}
"""Its controller, or who plays it, writes the status by a way of its own."""
_PAUSE = "registry.k8s.io/pause:3.10"
_WORKLOAD = """
apiVersion: apps/v1
kind: %(kind)s
metadata: {name: "{{ .Release.Name }}-%(part)s", namespace: "{{ .Release.Namespace }}"}
spec:
  selector: {matchLabels: %(labels)s}
  %(how)s
  template:
    metadata: {labels: %(labels)s}
    spec:
      containers: [{name: main, image: "%(image)s"}]
      %(where)s
"""
_HOOK = f"""
apiVersion: batch/v1
kind: Job
metadata:
  name: "{{{{ .Release.Name }}}}-upgrade-crd"
  namespace: "{{{{ .Release.Namespace }}}}"
  annotations: {{helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: "hook-succeeded,before-hook-creation"}}
spec:
  template:
    spec: {{restartPolicy: OnFailure, containers: [{{name: upgrade, image: "{_PAUSE}"}}]}}
"""


@dataclass(frozen=True)
class CustomKind:
    """A kind that a stack makes objects of, and does not define."""

    api_version: str
    kind: str
    namespaced: bool

    @property
    def group(self) -> str:
        """The group of its API."""
        return self.api_version.partition("/")[0]

    def definition(self) -> dict[str, Any]:
        """Its definition as recorded from its chart; else one under which everything goes."""
        if is_recorded(self.api_version, self.kind):
            recorded = definition(self.kind)
            recorded["spec"]["versions"][0]["subresources"] = _STATUS
            return recorded
        plural = self.kind.lower().removesuffix("y") + ("ies" if self.kind.endswith("y") else "s")
        scope = "Namespaced" if self.namespaced else "Cluster"
        made = defined(self.api_version, self.kind, plural, scope, ANYTHING, subresources=_STATUS)
        if self.group.endswith(".k8s.io"):
            # The API server asks this of kinds in Kubernetes' own groups.
            made["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, of a rehearsal"}
        return made


@dataclass(frozen=True)
class UsedChart:
    """A chart as a release of the stack asks for it."""

    chart: str
    """A name in ``repo``, or an OCI reference."""
    repo: str
    version: str

    @property
    def name(self) -> str:
        """Its own name."""
        return self.chart.rpartition("/")[2].partition("@")[0]


def files_of(used: UsedChart, kinds: Sequence[CustomKind]) -> dict[str, str]:
    """The files of a made-up chart by their path in it."""
    described = {"apiVersion": "v2", "name": used.name, "version": used.version}
    own = [each.definition() for each in kinds if each.group in BRINGS.get(used.name, ())]
    # Braces of a schema's texts are no templates.
    kinds_text = "\n---\n".join(json.dumps(each).replace("{{", '{{ "{{" }}') for each in own)
    controller = _workload("Deployment", "controller", "replicas: 1", _PAUSE, "terminationGracePeriodSeconds: 1")
    # With other values come other pods.
    image = "registry.k8s.io/made-up/{{ .Values | toJson | sha256sum | trunc 12 }}:1"
    where = "tolerations: [{operator: Exists}]\n      affinity: {{ .Values.affinity | default dict | toJson }}"
    agent = _workload("DaemonSet", "agent", "updateStrategy: {type: RollingUpdate}", image, where)
    return {
        "Chart.yaml": json.dumps(described),
        "values.yaml": "{}\n",
        "templates/kinds.yaml": kinds_text,
        "templates/controller.yaml": controller,
        "templates/agent.yaml": agent,
        **({"templates/hook.yaml": _HOOK} if used.name in HOOKED else {}),
    }


def _workload(kind: str, part: str, how: str, image: str, where: str) -> str:
    labels = f'{{app: "{{{{ .Release.Name }}}}-{part}"}}'
    return _WORKLOAD % {"kind": kind, "part": part, "labels": labels, "how": how, "image": image, "where": where}


def write_oci(folder: Path, used: UsedChart, kinds: Sequence[CustomKind]) -> None:
    """Put a chart of a registry where the provider finds it before it asks the registry."""
    for path, text in files_of(used, kinds).items():
        file = folder / used.chart / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def archive(used: UsedChart, kinds: Sequence[CustomKind]) -> bytes:
    """The same as Helm packs it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for path, text in files_of(used, kinds).items():
            entry = tarfile.TarInfo(f"{used.name}/{path}")
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


class Repositories:
    """Has the charts of the stack, whatever the addresses of their repositories."""

    def __init__(self, authority: Authority) -> None:
        self.authority = authority
        self.charts: Sequence[UsedChart] = ()
        self.kinds: Sequence[CustomKind] = ()
        self.refused: list[str] = []
        """Addresses that it was asked for and has nothing for."""

    def answer(self, url: str) -> bytes | None:
        """What lies at an address."""
        for repo in {each.repo.rstrip("/") for each in self.charts if each.repo}:
            own = [each for each in self.charts if each.repo.rstrip("/") == repo]
            if url == f"{repo}/index.yaml":
                return json.dumps(_index(own)).encode()
            for each in own:
                if url == f"{repo}/{_file(each)}":
                    return archive(each, self.kinds)
        self.refused.append(url)
        return None


class _Handler(ProxyHandler):
    repositories: Repositories

    def do_GET(self) -> None:
        """One file."""
        found = self.repositories.answer(f"https://{self.host}{urlsplit(self.path).path}")
        self.reply(404 if found is None else 200, found or b"")


@contextmanager
def serving(repositories: Repositories) -> Generator[str]:
    """Serve them to the end of the block; gives the proxy's address."""
    with proxy(_Handler, repositories=repositories, authority=repositories.authority) as port:
        yield f"http://127.0.0.1:{port}"


def _file(chart: UsedChart) -> str:
    return f"{chart.name}-{chart.version}.tgz"


def _index(charts: Sequence[UsedChart]) -> dict[str, Any]:
    entries = {
        each.name: [{"apiVersion": "v2", "name": each.name, "version": each.version, "urls": [_file(each)]}]
        for each in charts
    }
    return {"apiVersion": "v1", "entries": entries, "generated": "2026-01-01T00:00:00Z"}
