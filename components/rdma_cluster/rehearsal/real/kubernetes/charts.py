"""Made-up charts in the place of those that a stack installs: real kinds, and pods that a fake kubelet can have ready.

What Helm is asked for stays what the stack says. A chart of an OCI registry lies in the plugin's folder under the very
reference, where the provider looks first; one of a repository is fetched over HTTPS (``repositories.py``).
"""

import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...controlplane.objects import definition, is_recorded

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
_LABELS = '{app: "{{ .Release.Name }}-%s"}'
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
        """Of its API."""
        return self.api_version.partition("/")[0]

    def definition(self) -> dict[str, Any]:
        """As recorded from its chart; else one under which everything goes."""
        if is_recorded(self.api_version, self.kind):
            recorded = definition(self.kind)
            recorded["spec"]["versions"][0]["subresources"] = _STATUS
            return recorded
        anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        version = {
            "name": self.api_version.rpartition("/")[2],
            "served": True,
            "storage": True,
            "schema": {"openAPIV3Schema": anything},
            "subresources": _STATUS,
        }
        plural = self.kind.lower().removesuffix("y") + ("ies" if self.kind.endswith("y") else "s")
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{self.group}", **_approved(self.group)},
            "spec": {
                "group": self.group,
                "names": {"kind": self.kind, "plural": plural},
                "scope": "Namespaced" if self.namespaced else "Cluster",
                "versions": [version],
            },
        }


@dataclass(frozen=True)
class UsedChart:
    """A chart as a release of the stack asks for it."""

    chart: str
    """A name in ``repo``, or an OCI reference."""
    repo: str
    version: str

    @property
    def name(self) -> str:
        """Its own."""
        return self.chart.rpartition("/")[2].partition("@")[0]


def files_of(used: UsedChart, kinds: Sequence[CustomKind]) -> dict[str, str]:
    """The files of a made-up chart by their path in it."""
    described = {"apiVersion": "v2", "name": used.name, "version": used.version}
    own = [each.definition() for each in kinds if each.group in BRINGS.get(used.name, ())]
    # Braces of a schema's texts are no templates.
    defined = "\n---\n".join(json.dumps(each).replace("{{", '{{ "{{" }}') for each in own)
    controller = {
        "kind": "Deployment",
        "part": "controller",
        "labels": _LABELS % "controller",
        "how": "replicas: 1",
        "image": _PAUSE,
        "where": "terminationGracePeriodSeconds: 1",
    }
    agent = {
        "kind": "DaemonSet",
        "part": "agent",
        "labels": _LABELS % "agent",
        "how": "updateStrategy: {type: RollingUpdate}",
        # With other values come other pods.
        "image": "registry.k8s.io/made-up/{{ .Values | toJson | sha256sum | trunc 12 }}:1",
        "where": "tolerations: [{operator: Exists}]\n      affinity: {{ .Values.affinity | default dict | toJson }}",
    }
    return {
        "Chart.yaml": json.dumps(described),
        "values.yaml": "{}\n",
        "templates/kinds.yaml": defined,
        "templates/controller.yaml": _WORKLOAD % controller,
        "templates/agent.yaml": _WORKLOAD % agent,
        **({"templates/hook.yaml": _HOOK} if used.name in HOOKED else {}),
    }


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


def _approved(group: str) -> dict[str, Any]:
    """What the API server asks of kinds in Kubernetes' own groups."""
    if not group.endswith(".k8s.io"):
        return {}
    return {"annotations": {"api-approved.kubernetes.io": "unapproved, of a rehearsal"}}
