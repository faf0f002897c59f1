"""A stack's bill of materials in CycloneDX, by that standard's own library."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import cyclonedx.model as model
import cyclonedx.model.bom as boms
import cyclonedx.model.component as components
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from .. import __version__
from ..catalog.artifact import in_parts
from .fetched import Fetched
from .lock import Locked

# Its classes are made by a decorator that type checkers cannot follow.
Bom: Any = boms.Bom
Component: Any = components.Component
HashType: Any = model.HashType
Property: Any = model.Property
ComponentType, HashAlgorithm = components.ComponentType, model.HashAlgorithm
_LICENSES = LicenseFactory()


def bill_of_materials(stack: str, wanted: Sequence[Fetched], locked: Mapping[str, Locked]) -> str:
    """The bill as JSON. The same stack and lock give the same bytes: it has no time, and its number is of its content.

    Raises ``ValueError`` where it does not keep to the standard's schema.
    """
    parts = [_component(each, locked.get(each.reference)) for each in wanted]
    root = Component(name=stack, type=ComponentType.APPLICATION, bom_ref=f"stack:{stack}")
    made = Component(name="rdma-cluster", version=__version__, type=ComponentType.APPLICATION, bom_ref="rdma-cluster")
    held = sorted(locked.items())
    bom = Bom(components=[made, *parts], serial_number=uuid5(NAMESPACE_URL, repr((stack, wanted, held))))
    bom.metadata.component = root
    bom.register_dependency(root, [made, *parts])
    text = _without_time(JsonV1Dot6(bom).output_as_string())
    if problem := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise ValueError(f"the bill does not keep to CycloneDX 1.6: {problem}")
    return text + "\n"


def _without_time(text: str) -> str:
    """The library puts the time of writing in, which would make two bills of one stack differ."""
    data = json.loads(text)
    data["metadata"].pop("timestamp", None)
    return json.dumps(data, indent=1)


def _component(each: Fetched, locked: Locked | None) -> Any:
    name, version, purl = _named(each, locked)
    digest = locked.digest if locked else each.reference.partition("@")[2]
    return Component(
        name=name,
        version=version,
        type=ComponentType.CONTAINER if each.kind == "image" else ComponentType.APPLICATION,
        purl=purl,
        bom_ref=each.reference,
        # As its publisher wrote it: a name of SPDX, an expression, or a text.
        licenses=[_LICENSES.make_from_string(locked.licenses)] if locked and locked.licenses else [],
        # A digest of a manifest is the hash of what a registry serves under it.
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest.partition(":")[2])] if digest else [],
        properties=[Property(name="rdma-cluster:kind", value=each.kind)]
        + [Property(name="rdma-cluster:architecture", value=each) for each in each.architectures],
    )


def _named(each: Fetched, locked: Locked | None) -> tuple[str, str, PackageURL]:
    """Name, version, and package URL (https://github.com/package-url/purl-spec, types oci and helm)."""
    if each.kind == "helm":
        repo, name, version = each.reference.split(" ")
        return name, version, PackageURL("helm", None, name, version, {"repository_url": repo})
    repository, version = in_parts(each.reference)
    tag, _mark, digest = version.partition("@")
    digest = locked.digest if locked else digest
    short = repository.rpartition("/")[2]
    qualifiers = {"repository_url": repository, **({"tag": tag} if tag else {})}
    return repository, tag or digest, PackageURL("oci", None, short, digest or None, qualifiers)
