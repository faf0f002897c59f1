"""What stands behind the Kubernetes provider's own plugin: a control plane with all that is played beside it."""

import json
import os
import re
import shlex
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pulumi_offline.project import Settings
from rdma_cluster.kubernetes_api.client import Client
from rdma_cluster.kubernetes_api.kubeconfig import access, connection
from ...changes import planned
from ...controlplane.contents import existing, take_away
from ...scenario import Outcome
from ..record import Rehearsed
from .charts import CustomKind, Repositories, write_oci
from .expected import expected, has_cluster
from .kubelet import Kubelet

OF_NODES = ("nodes", "resourceslices")
GONE_SECONDS = 30.0
"""For what the garbage collector still has to do."""
POLL_SECONDS = 0.5


class OnCluster:
    """A control plane with nodes as the stack's pools have them."""

    def __init__(self, rehearsed: Rehearsed, kubeconfig: Path, repositories: Repositories, proxy: str) -> None:
        """Raises as ``connection``."""
        self._root, self._folder, self._resource_names = rehearsed.root, rehearsed.folder, rehearsed.resource_names
        self._client, self._kubelets = (Client(connection(kubeconfig)) for _ in range(2))
        self._repositories, self._proxy = repositories, proxy
        self._access = access(kubeconfig)
        self._plugins = CredentialPlugins(self._folder / "credentials", self._access.credential)
        self._beginning = existing(self._client)
        self._settings, self._had_cluster = rehearsed.settings, False
        self._of_cloud: set[str] = set()
        """Names of what the cluster had by itself in some configuration."""
        self._kinds: dict[CustomKind, None] = {}
        self.kubelet = Kubelet(self._kubelets, self._exists)
        self.configured(rehearsed.settings)

    @property
    def environment(self) -> Mapping[str, str]:
        """The plugin finds our credential plugins first, and no network but our repositories."""
        home = self._folder / "home"
        return {
            "HOME": str(home),
            **{f"HELM_{each}_HOME": str(home / each.lower()) for each in ("CACHE", "CONFIG", "DATA")},
            "PATH": f"{self._plugins.path}{os.pathsep}{os.environ['PATH']}",
            "HTTPS_PROXY": self._proxy,
            "NO_PROXY": urlsplit(self._client.server).hostname or "",
            "SSL_CERT_FILE": str(self._repositories.authority.certificate),
        }

    @property
    def description(self) -> str:
        """The server, and how often the stack's credential plugins were asked."""
        version = self._client.request("GET", "/version")["gitVersion"]
        objects = len(existing(self._client) - self._beginning)
        calls = self._plugins.calls()
        asked = f"{calls[-1]!r} was called {len(calls)} times" if calls else "no credential plugin was called"
        return f"{objects} objects on {self._client.server} ({version}); {asked}"

    def configured(self, settings: Settings) -> None:
        """Nodes, charts and kinds as this configuration has them, from now on. Raises ``Refused``."""
        planned(settings)
        self._settings = settings
        now = expected(self._root, settings)
        self._of_cloud |= {each["metadata"]["name"] for each in now.of_cloud}
        # A chart defines its kinds whether or not the stack makes objects of them just now.
        self._kinds.update(dict.fromkeys(now.kinds))
        kinds = tuple(self._kinds)
        for each in now.charts:
            if not each.repo:
                write_oci(self._folder, each, kinds)
        self._repositories.charts, self._repositories.kinds = now.charts, kinds
        self.kubelet.expect(now)

    def lead_here(self, settings: dict[str, str]) -> None:
        """Another address in the kubeconfig, with its certificate; who the user is stays as it is."""
        self._forget()
        try:
            config = json.loads(settings.get("kubeconfig", ""))
        except ValueError:
            return  # in a preview nobody knows it yet
        for each in config["clusters"]:
            each["cluster"] = dict(self._access.cluster)
        for each in config["users"]:
            if plugin := each["user"].get("exec"):
                self._plugins.provide(plugin)
        settings["kubeconfig"] = json.dumps(config)

    def resource_names(self, role: str) -> Iterable[str]:
        """Clusters and pools are other providers'."""
        return ()

    def judged(self) -> Iterator[Outcome]:
        """What is played was never asked for what it has not, nor refused what it wrote."""
        wrong = (*(f"nothing at {each}" for each in self._repositories.refused), *self.kubelet.wrong)
        yield Outcome("what is played beside the API server sufficed", tuple(dict.fromkeys(wrong))[:5])

    def leftovers(self) -> list[str]:
        """What exists beyond what did at the beginning, when all that went with the cluster has gone."""
        self._forget()
        return self.of_stack() if self._exists("") else sorted(map(str, existing(self._client) - self._beginning))

    def of_stack(self) -> list[str]:
        """What exists beyond that and what a cluster has by itself, as soon as what is on its way out has gone."""
        deadline = time.monotonic() + GONE_SECONDS
        while True:
            new = existing(self._client) - self._beginning
            left = [each for each in new if each.kind.plural not in OF_NODES and each.name not in self._of_cloud]
            if not left or time.monotonic() > deadline:
                return sorted(map(str, left))
            time.sleep(POLL_SECONDS)

    def end(self) -> None:
        """Leave nothing. Raises ``Answered``."""
        self.kubelet.end()
        take_away(self._client, existing(self._client) - self._beginning)
        for each in (self._client, self._kubelets):
            each.close()

    def delete(self, objects: Iterable[dict[str, Any]]) -> None:
        """Delete objects behind the engine's back, and wait until they are gone."""
        deleted = list(objects)
        for each in deleted:
            self._client.delete(each)
        for each in deleted:
            self._client.until(lambda each=each: self._client.get(each) is None, each["metadata"]["name"])

    def _forget(self) -> None:
        """What was on a cluster goes with it."""
        has_cluster = self._exists("")
        if self._had_cluster and not has_cluster:
            with self.kubelet.paused():
                take_away(self._client, existing(self._client) - self._beginning)
        self._had_cluster = has_cluster

    def _exists(self, pool: str) -> bool:
        """Whether a pool is there; of the empty name, whether the cluster is."""
        role = "pool" if pool else "cluster"
        if not pool and has_cluster(self._settings):
            return True
        named = re.compile(rf"(^|-){re.escape(pool)}(-|$)" if pool else "")
        return any(map(named.search, self._resource_names(role)))


class CredentialPlugins:
    """A folder for PATH with a program for each credential plugin that a kubeconfig has named so far.

    Each call is written down, and answered with a credential that holds.
    """

    def __init__(self, folder: Path, credential: Mapping[str, str]) -> None:
        self._folder, self._credential = folder, credential
        self._log = folder / "calls.log"
        self.path = folder / "bin"
        self.path.mkdir(parents=True)

    def provide(self, plugin: Mapping[str, Any]) -> None:
        """Have the plugin of a kubeconfig's user, whatever it is called."""
        command = self.path / Path(plugin["command"]).name
        answer = {"apiVersion": plugin["apiVersion"], "kind": "ExecCredential", "status": dict(self._credential)}
        text = self._folder / f"{command.name}.json"
        if not command.exists():
            text.touch(mode=0o600)
            text.write_text(json.dumps(answer))
            line = f'echo {shlex.quote(command.name)} "$@" >> {shlex.quote(str(self._log))}'
            made = command.with_suffix(".new")
            made.write_text(f"#!/bin/sh\n{line}\nexec cat {shlex.quote(str(text))}\n")
            made.chmod(0o700)
            os.rename(made, command)

    def calls(self) -> list[str]:
        """Each call: the command with its arguments."""
        return self._log.read_text().splitlines() if self._log.exists() else []
