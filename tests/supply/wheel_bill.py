"""The wheel's own bill of materials: `python -m tests.supply.wheel_bill` writes it.

It names what the wheel asks for, with the versions that it allows: which of them is installed, the installer decides.
"""

import json
import tomllib
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from rdma_cluster import __version__
from tests.stacks import ROOT

FILE = ROOT / "rdma-cluster.cdx.json"
# Its classes are made by a decorator that type checkers cannot follow.
_Bom: Any = Bom
_Component: Any = Component
_Property: Any = Property


def bill() -> str:
    """The bill as JSON; the same pyproject.toml gives the same bytes."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    name = project["name"]
    wheel = _Component(
        name=name,
        version=__version__,
        type=ComponentType.LIBRARY,
        bom_ref=name,
        purl=PackageURL("pypi", None, name, __version__),
        licenses=[LicenseFactory().make_from_string(project["license"])],
    )
    parts = [_part(each, "") for each in project["dependencies"]]
    for extra, wanted in project["optional-dependencies"].items():
        parts += [_part(each, extra) for each in wanted if not each.startswith(name)]
    bom = _Bom(components=parts, serial_number=uuid5(NAMESPACE_URL, json.dumps([__version__, project], sort_keys=True)))
    bom.metadata.component = wheel
    bom.register_dependency(wheel, parts)
    data = json.loads(JsonV1Dot6(bom).output_as_string())
    del data["metadata"]["timestamp"]
    return json.dumps(data, indent=1) + "\n"


def _part(written: str, extra: str) -> Any:
    wanted = Requirement(written)
    return _Component(
        name=wanted.name,
        type=ComponentType.LIBRARY,
        bom_ref=f"{wanted.name}{f' of {extra}' if extra else ''}",
        purl=PackageURL("pypi", None, wanted.name.lower()),
        scope=ComponentScope.OPTIONAL if extra else ComponentScope.REQUIRED,
        properties=[_Property(name="rdma-cluster:versions", value=str(wanted.specifier))]
        + [_Property(name="rdma-cluster:extra", value=extra)] * bool(extra),
    )


if __name__ == "__main__":
    FILE.write_text(bill())
