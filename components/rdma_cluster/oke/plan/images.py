"""What a pool's nodes boot: an image of Oracle's list, by its OCID or from a link, whether it fits, and its volume."""

import re
from collections.abc import Sequence
from dataclasses import field
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...catalog.oke import OkeMachine
from ...catalog.oke.images import IMAGES, OkeImage
from ...common.fingerprint import NOT_DIGESTED
from . import blueprints
from .machines import machines_for
from .zones import check_compartment, check_ocid

DEFAULT_GB = 512  # the stack's default for RDMA pools; one GPU image is 8 to 20 GB
DEFAULT_VPUS_PER_GB = 10

_GB = range(50, 32769)
_VPUS = range(10, 121, 10)


@blueprints.for_boot_volume
@args_schema
class OkeBootVolume(TypedDict):
    """The boot volume of a node."""

    gb: NotRequired[int]
    """Size, GB. Default: 512."""
    vpus_per_gb: NotRequired[int]
    """Speed, 10 to 120 in tens. Default: 10. Not with ``managed`` nodes, whose API does not know it."""


@blueprints.for_image
@args_schema
class OkeNodeImage(TypedDict):
    """Exactly one of ``release``, ``id`` and ``url``."""

    release: NotRequired[str]
    """One of the catalogue's images, which is imported. Example: ``ubuntu-24.04-595``."""
    id: NotRequired[Link]
    """OCID of an image that is in the region already."""
    url: NotRequired[str]
    """Link to an image in object storage, which is imported. What stands before its last ``/`` may change at any time:
    an image goes by its object's name, and is imported once."""
    driver: NotRequired[str]
    """Driver branch in an image of your own, for checks. Example: ``"570"``."""
    cuda: NotRequired[str]
    """CUDA version in an image of your own, for checks. Example: ``"12.8"``."""


@args_schema
class OkeImportedImageArgs(TypedDict):
    """An image to import, and the shapes that boot it: one of ``release`` and ``url``."""

    compartment: Link
    """OCID of the compartment."""
    machines: list[str]
    """Shapes. Example: ``["BM.GPU.H100.8"]``."""
    release: NotRequired[str]
    """One of the catalogue's images. Default: the newest that names the first shape."""
    url: NotRequired[str]
    """Link to an image in object storage."""


@frozen
class ImagePlan:
    """What a pool boots."""

    title: str
    """Name that stays with the image: a release, the last part of a link, or empty for an OCID."""
    url: str | None
    """Link to import it from; ``None`` where it is in the region already."""
    driver: str | None
    """Driver branch; ``None`` where it is not known."""
    cuda: str | None
    id: Link | None = field(default=None, metadata=NOT_DIGESTED)
    """OCID of an image that is in the region already; ``None`` where it is imported."""


@frozen
class ImportPlan:
    """What ``OkeImportedImage`` builds."""

    compartment: Link
    title: str
    url: str
    shapes: tuple[str, ...]


_LINK = re.compile(r"https?://[^/\s]+/.+/o/[^\s?]+")
_NUMBER = re.compile(r"\d+(\.\d+)*", re.ASCII)


def plan_image(args: OkeNodeImage, machine: OkeMachine, errors: ErrorList) -> ImagePlan | None:
    """The image of one machine's pool. Returns ``None`` when an error was added."""
    chosen = [key for key in ("release", "id", "url") if key in args]
    if len(chosen) > 1:
        errors.add(f"got {' and '.join(chosen)}; name exactly one of release, id and url")
        return None
    if "id" in args or "url" in args:
        return _own(args, machine, errors)
    for key in ("driver", "cuda"):
        if key in args:
            errors.at(key).add("not allowed with an image of the catalogue, which states its own; remove it")
    row = _row(args.get("release"), machine, errors)
    return None if errors or row is None else ImagePlan(row.release, row.url, row.driver, row.cuda)


def plan_import(args: OkeImportedImageArgs, errors: ErrorList) -> ImportPlan | None:
    """All choices of ``OkeImportedImage``. Returns ``None`` when an error was added."""
    check_compartment(args["compartment"], errors.at("compartment"))
    machines = machines_for(args["machines"], errors.at("machines"))
    choice = OkeNodeImage(**{key: args[key] for key in ("release", "url") if key in args})
    known = [machine for machine in machines if machine is not None]
    image = plan_image(choice, known[0], errors) if known else None
    if image is not None and "url" not in choice:
        choice["release"] = image.title
    for machine in known[1:]:
        plan_image(choice, machine, errors)
    if errors or image is None:
        return None
    return imports(args["compartment"], [(image, machine.name) for machine in known])[0]


def imports(compartment: Link, wanted: Sequence[tuple[ImagePlan, str]]) -> list[ImportPlan]:
    """One import for each image that several pools boot, with all their shapes."""
    shapes: dict[str, dict[str, None]] = {}
    for image, machine in wanted:
        if image.url is not None:
            shapes.setdefault(image.title, {})[machine] = None
    urls = {image.title: image.url for image, _ in wanted if image.url is not None}
    return [ImportPlan(compartment, title, urls[title], tuple(of)) for title, of in shapes.items()]


def image_warnings(image: ImagePlan, machine: OkeMachine, pool: str) -> list[str]:
    """What cannot be checked about an image, and what Oracle does not publish any more."""
    default = _row(None, machine, ErrorList())
    if default is not None and any(row.release == image.title and not row.listed for row in IMAGES):
        return [
            f"pool {pool}: image {image.title} is of 2025 and not on Oracle's list of {default.source.seen}: its link "
            f"may be closed, and it takes OKE's packages from Oracle's mirrors alone; take {default.release}"
        ]
    minimum_version = minimum_driver(machine)
    if image.driver is not None or minimum_version is None:
        return []
    return [
        f"pool {pool}: what is in the image is not said; {machine.name} needs driver {minimum_version} or later: state "
        "it in image.driver"
    ]


def _own(args: OkeNodeImage, machine: OkeMachine, errors: ErrorList) -> ImagePlan | None:
    if "id" in args:
        check_ocid(args["id"], ("image",), errors.at("id"))
    elif not _LINK.fullmatch(args["url"]):
        errors.at("url").add(
            f"got {args['url']!r}; write a link to an object, e.g. https://objectstorage.eu-frankfurt-1."
            "oraclecloud.com/p/.../n/.../b/images/o/my-image"
        )
    check_numbers(args.get("driver"), "570", errors.at("driver"))
    check_numbers(args.get("cuda"), "12.8", errors.at("cuda"))
    if errors:
        return None
    if lacks := _lacks(args.get("driver"), None, machine):
        errors.at("driver").add(f"{lacks}; take a newer image")
    if (cuda := args.get("cuda")) and machine.cuda and _numbers(cuda) < _numbers(machine.cuda):
        errors.at("cuda").add(f"got {cuda}; {machine.name} needs CUDA {machine.cuda} or later; take a newer image")
    url = args.get("url")
    title = (url or "").rpartition("/")[2].removesuffix(".oci")
    return None if errors else ImagePlan(title, url, args.get("driver"), args.get("cuda"), args.get("id"))


def check_numbers(value: str | None, example: str, errors: ErrorList) -> None:
    """A version consists of numbers."""
    if value is not None and not _NUMBER.fullmatch(value):
        errors.add(f"got {value!r}; write numbers alone, e.g. {example}")


def _row(release: str | None, machine: OkeMachine, errors: ErrorList) -> OkeImage | None:
    fitting = [row for row in IMAGES if machine.name in row.shapes]
    if release is None:
        if not fitting:
            why = f"no list of Oracle's names an image for {machine.name}"
            errors.add(f"missing; {why}: name one of your own by id or url")
        return fitting[0] if fitting else None
    row = next((each for each in IMAGES if each.release == release), None)
    names = ", ".join(each.release for each in fitting)
    if row is None:
        errors.at("release").add(
            f"unknown image {release!r}; choose one of {names or ', '.join(each.release for each in IMAGES)}"
        )
    elif row not in fitting:
        reason = f"{row.release} is made for {', '.join(row.shapes)}, not for {machine.name}"
        lacks = _lacks(row.driver, row.cuda, machine)
        remedy = f"choose one of {names}" if names else "name an image of your own by id or url"
        errors.at("release").add(f"{reason}{f': {lacks}' if lacks else ''}; {remedy}")
        return None
    return row


def _lacks(driver: str | None, cuda: str | None, machine: OkeMachine) -> str:
    """Why an image with this driver and CUDA does not run the shape; empty where it does or nothing is known."""
    if (minimum_version := minimum_driver(machine)) is None:
        return ""
    pairs = ((driver, minimum_version), (cuda, machine.cuda))
    if driver and not _NUMBER.fullmatch(driver):
        return f"{machine.name} needs NVIDIA's driver, the image has {driver}"
    if not any(have and need and _numbers(have) < _numbers(need) for have, need in pairs):
        return ""
    needs = f"driver {minimum_version} or later" + (f" and CUDA {machine.cuda} or later" if machine.cuda else "")
    return f"{machine.name.removeprefix('BM.GPU.').partition('.')[0]} needs {needs}, the image has driver {driver}" + (
        f" and CUDA {cuda}" if cuda else ""
    )


def minimum_driver(machine: OkeMachine) -> str | None:
    """Least driver branch of a shape; ``None`` where Oracle states none."""
    rule = machine.driver or ""
    return rule.removeprefix(">=") if rule.startswith(">=") else None


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def check_volume(volume: OkeBootVolume, errors: ErrorList) -> None:
    """A size and a speed that OCI has."""
    gb = volume.get("gb", DEFAULT_GB)
    if gb not in _GB:
        errors.at("gb").add(f"got {gb}; a boot volume has {_GB.start} to {_GB.stop - 1} GB")
    vpus = volume.get("vpus_per_gb", DEFAULT_VPUS_PER_GB)
    if vpus not in _VPUS:
        errors.at("vpus_per_gb").add(f"got {vpus}; take 10 to 120, in tens")
