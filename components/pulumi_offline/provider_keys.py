"""What an SDK says that its provider can be told."""

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from inspect import signature
from sys import modules


@cache
def provider_keys(cls: type) -> Mapping[str, str]:
    """The inputs of a class ``Provider`` by the name that reaches its plugin, to their names as resource properties.

    An SDK's module ``config`` knows some that the class does not take and its plugin does: `skipRegionValidation` of
    gcp 10.2. The class translates none of these.
    """
    args = vars(modules[cls.__module__])["ProviderArgs"]
    taken = [name for name in signature(args.__init__).parameters if name not in ("self", "__self__")]
    told: list[str] = []
    with suppress(ModuleNotFoundError):
        config = import_module(f"{cls.__module__.partition('.')[0]}.config")
        hasattr(config, "region")  # it takes its class when something is first asked of it
        told = [name for name, value in vars(type(config)).items() if isinstance(value, property)]
    return {**{_camel(name): _camel(name) for name in told}, **{_camel(name): name for name in taken}}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
