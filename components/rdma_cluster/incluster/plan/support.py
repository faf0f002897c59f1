"""What a plan says of versions whose support ends, and of parts that nobody publishes as serving its Kubernetes."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...base.versions import minor_of
from ...catalog.support import CLOUDS, SOON, SUPPORT
from .artifacts import charts_of


def support_warnings(
    plan: Any, cloud: str, kubernetes: Mapping[str, Any], default: str, addons: Mapping[str, str | None] | None = None
) -> list[str]:
    """Warn of a version that a cloud soon drops, and of each chart of a plan, or add-on of the cloud by its version,
    that its publisher has dropped or does not name this minor for. Of an existing cluster the version is what the user
    names."""
    version = kubernetes.get("version", "" if "existing" in kubernetes else default)
    parts = {chart.name: (chart.title, chart.version) for chart in charts_of(plan)}
    parts |= {name: (f"the add-on {name}", known or "") for name, known in (addons or {}).items()}
    return [*_of_cloud(cloud, version), *_of_parts(parts, version)]


def _of_cloud(cloud: str, version: str) -> Iterator[str]:
    row = CLOUDS[cloud]
    if (known := row.minors.get(minor_of(version))) is not None and known.ends < SOON:
        yield (
            f"kubernetes.version is {version}: {row.service} supports it until {known.ends}; "
            f"{row.then.format(known.paid)}"
        )


def _of_parts(parts: Mapping[str, tuple[str, str]], version: str) -> Iterator[str]:
    for name, (title, known) in parts.items():
        row = SUPPORT.get(name)
        if row is None or not known.removeprefix("v").startswith(row.release):
            continue
        if version and not row.serves(minor_of(version)):
            yield (
                f"kubernetes.version is {version}: {title} {known} is published for {row.range}; its publisher says "
                f"nothing of {minor_of(version)}"
            )
        if row.ended:
            yield f"{title} {known}: its publisher gives it no support any more (seen on {row.ended})"
