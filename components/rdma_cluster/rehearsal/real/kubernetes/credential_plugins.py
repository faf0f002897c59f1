"""Credential plugins of the clouds, played: each call is written down, and answered with a credential that holds."""

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class CredentialPlugins:
    """A folder for PATH with a program for each plugin that a kubeconfig has named so far."""

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
