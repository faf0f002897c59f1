"""Whose account a provider works in.

Pulumi hands the stack's configuration to default providers alone (pulumi/pulumi#12176). So each provider that we make
gets here what a default one would get, or what the user's own provider has: texts by key, as they go to its plugin.
"""

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import pulumi
from pulumi.runtime import config as engine
from pulumi_offline.provider_keys import provider_keys
from ..base.args import to_camel
from ..common.sign_in import SignIn
from .frame import replaceable

P = TypeVar("P", bound=pulumi.ProviderResource)
Settings = Mapping[str, pulumi.Input[Any]]
"""The inputs of a provider: texts by key in camelCase; what is no text is JSON."""

_GIVEN: "WeakKeyDictionary[pulumi.ProviderResource, Settings]" = WeakKeyDictionary()
"""What the providers that we made were given: known at once, and no dependency of what reads it."""


def configuration() -> dict[str, str]:
    """The stack's configuration: texts by full key."""
    return {**engine.get_config_env(), **engine.CONFIG.get()}


def provider_for(
    component: pulumi.ComponentResource, name: str, cls: type[P], stack_keys: Mapping[str, str], args: Mapping[str, Any]
) -> pulumi.ProviderResource:
    """The user's provider of the cloud, or a new one as the stack's configuration says.

    A default provider would take from the environment what ``args`` decide. ``stack_keys`` says as which keys.
    """
    package = next(iter(stack_keys)).partition(":")[0]
    if (given := component.get_provider(f"{package}:index:Provider")) is not None:
        return given
    decided = {key.partition(":")[2]: args[arg] for key, arg in stack_keys.items()}
    return _made(component, name, cls, package, {**_configured(package), **decided})


def further_provider(
    component: pulumi.ComponentResource, name: str, cls: type[P], package: str, **other: pulumi.Input[str]
) -> P:
    """One more provider of a cloud, which is the component's own but for ``other`` inputs, such as its region."""
    return _made(component, name, cls, package, {**_settings_of(component, package, provider_keys(cls)), **other})


def signed_in(
    component: pulumi.ComponentResource, sign_in: SignIn, command: Mapping[str, Any]
) -> pulumi.Input[dict[str, Any]]:
    """The command of a kubeconfig that signs in as the component's provider does."""

    def complete(values: Mapping[str, Any]) -> dict[str, Any]:
        told = {key: value for key, value in values.items() if value is not None}
        for warning in sign_in.warnings(told):
            pulumi.log.warn(warning, component)
        return sign_in.command(told, command)

    settings = _settings_of(component, sign_in.package, sign_in.keys)
    if any(isinstance(value, pulumi.Output) for value in settings.values()):
        return pulumi.Output.all(**settings).apply(complete)
    return complete(settings)


def _made(component: pulumi.ComponentResource, name: str, cls: type[P], package: str, settings: Settings) -> P:
    """A provider with ``settings``, over what its SDK takes for granted.

    Raises ``pulumi.RunError`` for keys that its SDK does not know.
    """
    names = provider_keys(cls)
    if unknown := sorted(settings.keys() - names):
        near = [f"did you mean {package}:{key}?" for key in get_close_matches(unknown[0], names, n=1)]
        keys = ", ".join(f"{package}:{key}" for key in unknown)
        raise pulumi.RunError(f"{keys}: the provider has no such key; {(*near, 'take it out')[0]}")

    def tell(given: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult:
        hidden = given.opts.additional_secret_outputs or ()  # what the SDK knows to be secret
        sealed = {key: pulumi.Output.secret(settings[key]) for key in hidden if isinstance(settings.get(key), str)}
        props = {names[key]: value for key, value in {**settings, **sealed}.items()}
        return pulumi.ResourceTransformationResult({**given.props, **props}, given.opts)

    make: Any = cls
    provider = make(name, opts=replaceable(pulumi.ResourceOptions(parent=component, transformations=[tell])))
    _GIVEN[provider] = settings
    return provider


def _settings_of(component: pulumi.ComponentResource, package: str, keys: Iterable[str]) -> Settings:
    """The ``keys`` of what a component's provider is told, or of what its default one will be."""
    provider = component.get_provider(f"{package}:index:Provider")
    if provider is None:
        told = _configured(package)
    elif provider in _GIVEN:
        told = _GIVEN[provider]
    else:
        return _registered(provider, keys)
    return {key: told[key] for key in keys if key in told}


def _configured(package: str) -> Settings:
    """What the engine hands to a package's default provider (pulumi/pulumi pkg/resource/deploy/target.go)."""
    mine = {key: text for key, text in configuration().items() if key.partition(":")[0] == package}
    told = {key: pulumi.Output.secret(text) if engine.is_config_secret(key) else text for key, text in mine.items()}
    return {key.partition(":")[2]: value for key, value in told.items()}


def _registered(provider: pulumi.ProviderResource, keys: Iterable[str]) -> Settings:
    """The inputs of a provider that the user's program made.

    The engine knows which: to a program an input that nobody gave is unknown in a preview, and a program in another
    language hands over a reference alone.
    """
    told = {key: value for key, value in vars(provider).items() if hasattr(type(provider), key)}
    own = {to_camel(key): value for key, value in told.items()}
    found = pulumi.runtime.invoke_output("pulumi:pulumi:getResource", {"urn": provider.urn})

    def registered(key: str) -> pulumi.Output[str | None]:
        # An output of its class keeps its own secrecy; a state with one secret is secret as a whole.
        value = own[key] if key in own else found.apply(lambda known: known["state"].get(key))
        given = pulumi.Output.unsecret(found).apply(lambda known: key in known["state"])
        text: Any = given.apply(lambda there: value.apply(_text) if there else None)
        # What reads it comes after the provider in any case: it stands on that, or on what does.
        return pulumi.Output(set(), text.future(), text.is_known(), text.is_secret())

    return {key: registered(key) for key in keys}


def _text(value: Any) -> str | None:
    """An input as it goes to the plugin."""
    return value if value is None or isinstance(value, str) else json.dumps(value)
