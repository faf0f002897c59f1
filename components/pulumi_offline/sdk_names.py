"""The names of Pulumi's SDK that this package uses although Pulumi promises them to nobody."""

from functools import cache
from importlib import import_module

TESTED = ("3.272",)
"""Minors of `pulumi` that the tests ran with. A newer one is used as long as it has all names."""
NAMES = {
    "pulumi._types": (
        "_is_plumbing_arg", "_is_union_type", "_raw_return_hints", "_required_property_names", "is_input_type",
        "is_output_type", "input_type_py_to_pulumi_names", "resource_types",
    ),
    "pulumi.resource": ("collapse_alias_to_urn",),
    "pulumi.runtime._callbacks": ("_CallbackServicer",),
    "pulumi.runtime.resource": ("_get_stack_trace",),
    "pulumi.runtime.rpc": ("_RESOURCE_MODULES", "_RESOURCE_PACKAGES"),
    "pulumi.runtime.settings": ("ROOT", "SETTINGS", "Settings", "configure"),
    "pulumi.runtime.stack": ("run_in_stack",),
    "pulumi.runtime.sync_await": ("_sync_await",),
}  # fmt: skip


class UntestedPulumi(ImportError):
    """The installed `pulumi` lacks a name that this package needs."""


@cache
def demand_names() -> None:
    """Raise `UntestedPulumi` with every name that the installed `pulumi` lacks."""
    if missing := [f"{module}.{name}" for module, names in NAMES.items() for name in names if not _has(module, name)]:
        from importlib.metadata import version  # most processes need none

        raise UntestedPulumi(
            f"pulumi {version('pulumi')} has no {', '.join(missing)}, which pulumi_offline needs; it was tested with "
            f'pulumi {", ".join(TESTED)}: pip install "pulumi=={TESTED[-1]}.*"'
        )


def _has(module: str, name: str) -> bool:
    try:
        return hasattr(import_module(module), name)
    except ImportError:
        return False
