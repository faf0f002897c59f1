"""How a kubeconfig's command signs in as its cloud's provider does. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from pulumi_offline.frozen import frozen

Told = Mapping[str, str]
"""What a provider is told: texts by key in camelCase; what is no text is JSON."""


@frozen
class Words:
    """What the command gets."""

    args: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    lost: tuple[str, ...] = ()
    """Keys whose value the command cannot take in the form that it has."""


@frozen
class SignIn:
    """The keys of a provider that say who it is, and what they are for a command."""

    package: str
    reads: tuple[str, ...]
    """Keys that ``words`` reads."""
    words: Callable[[Told], Words]
    credentials: tuple[str, ...]
    """Keys that hold a credential, which no kubeconfig carries."""
    remedy: str
    """How the command signs in without them."""

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys that matter."""
        return (*self.reads, *self.credentials)

    def command(self, told: Told, command: Mapping[str, Any]) -> dict[str, Any]:
        """``command``, as kubeconfigs write it, that signs in as a provider with these keys does."""
        words = self.words(told)
        args = [*command.get("args", ()), *words.args]
        env = [{"name": name, "value": value} for name, value in words.env.items()]
        return {**command, **({"args": args} if args else {}), **({"env": env} if env else {})}

    def warnings(self, told: Told) -> tuple[str, ...]:
        """What a command does not learn, in words without any value."""
        lost = [f"{self.package}:{key}" for key in (*self.credentials, *self.words(told).lost) if key in told]
        if not lost:
            return ()
        return (f"{', '.join(lost)}: the provider signs in by this, the kubeconfig does not carry it; {self.remedy}",)
