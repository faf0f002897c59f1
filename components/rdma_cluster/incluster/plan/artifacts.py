"""What a plan will fetch, read before any resource is made, what a user demands of it, and what a cluster admits."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, NotRequired, TypeVar

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import args_schema
from ...catalog.artifact import Chart, Image, in_parts
from ...fabrics import Fabric
from .charts import Settings
from .images import OCI, is_locked
from .rights import denying, requests

T = TypeVar("T", bound=Mapping[str, Any])
P = TypeVar("P")

_FACTS = (Chart, Image, Fabric)
"""Records of the catalogue: their references are those before any mirror."""
_ASKED = ("args", "options", "machine", "pinned")
"""Fields that hold what was asked for, and facts; what became of them stands in the others."""
_FIELDS = ("image", "installer", "pause")
"""What a field with a reference is called, or ends with."""


@args_schema
class ArtifactOptions(TypedDict):
    """Where charts and images may come from, and how sure their content is."""

    mirrors_only: NotRequired[bool]
    """Refuse a plan that fetches anything from another place than those that ``registries`` names: for nodes with no
    way out. Default: false."""
    digests_only: NotRequired[bool]
    """Refuse a plan that fetches anything by a tag or a version alone, which somebody can move. `rdma-cluster lock`
    finds the digests. Default: false."""


def demanding(make_plan: Callable[[T, str, ErrorList], P | None]) -> Callable[[T, str, ErrorList], P | None]:
    """The same function of a cloud, which refuses a plan that does not keep to its ``artifacts``."""

    def plan(args: T, name: str, errors: ErrorList) -> P | None:
        made = make_plan(args, name, errors)
        if made is not None:
            check_artifacts(made, args, errors)
        return None if errors else made

    return plan


def check_artifacts(plan: Any, args: Mapping[str, Any], errors: ErrorList) -> None:
    """Holds a plan to ``artifacts``: every reference that does not keep to it is named."""
    choice = args.get("artifacts", {})
    if not any(choice.values()):
        return
    references = planned(plan)
    at = errors.at("artifacts")
    registries = args.get("registries", {}).items()
    places = tuple(place.removeprefix(OCI) for prefix, place in registries if not is_locked(prefix, place))
    if choice.get("mirrors_only") and (outside := [each for each in references if not _is_at(each, places)]):
        at.at("mirrors_only").add(
            f"{len(outside)} of {len(references)} artifacts come from elsewhere: {', '.join(outside)}; "
            "give registries a line for each host: `rdma-cluster artifacts STACK --mirror REGISTRY` prints them"
        )
    if choice.get("digests_only") and (loose := [each for each in references if "@sha256:" not in each]):
        at.at("digests_only").add(
            f"{len(loose)} of {len(references)} artifacts are named by a tag or a version alone: {', '.join(loose)}; "
            "run `rdma-cluster lock STACK`, keep charts in a registry (`artifacts --mirror`), and leave to the cloud "
            "drivers whose tag a node completes"
        )


def _is_at(reference: str, places: tuple[str, ...]) -> bool:
    named = reference.partition("://")[2] or reference
    return any(named == place or named.startswith((f"{place}/", f"{place}:", f"{place}@")) for place in places)


def planned(plan: Any) -> list[str]:
    """The references of every chart and image of a plan, as it has them, each once and sorted."""
    return sorted({each for each in _references(plan) if each and not each.startswith("projects/")})


def charts_of(plan: Any) -> list[Chart]:
    """Every chart of a plan, each once."""
    return list(dict.fromkeys(each.chart for each in _fetched(plan, "") if isinstance(each, Settings)))


def _references(plan: Any) -> Iterator[str]:
    for each in _fetched(plan, ""):
        if isinstance(each, Settings):
            yield f"{each.chart.repo}/{each.chart.name}" if each.chart.repo else each.chart.chart
            yield from images_of_chart(each.chart, each.values)
        else:
            yield each


def _fetched(value: Any, key: str) -> Iterator[str | Settings]:
    if isinstance(value, str):
        if key.endswith(_FIELDS):
            yield value
    elif isinstance(value, Settings):
        yield value
    elif isinstance(value, _FACTS):
        return
    elif is_dataclass(value):
        for each in fields(value):
            if each.name not in _ASKED:
                yield from _fetched(getattr(value, each.name), each.name)
    elif isinstance(value, Mapping):
        yield from images_in(value)
        for each in value.values():
            if not isinstance(each, str):
                yield from _fetched(each, "")
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _fetched(each, key)


def images_of_chart(record: Chart, values: Mapping[str, Any]) -> Iterator[str]:
    """The images that a chart's pods run with these values, as far as the catalogue knows the chart."""
    if record.image_in_pieces:
        yield from images_in(values)
    elif record.image is not None:
        # A chart's own image, at another place or by a digest where its values name one.
        own = values.get("image", {})
        place, tag = in_parts(record.image.image)
        yield f"{own.get('repository', place)}:{own.get('tag', tag)}"


def images_in(value: Any) -> Iterator[str]:
    """What stands under the key ``image``, or as a repository and a tag, however deep."""
    if isinstance(value, dict):
        image = value.get("image")
        if isinstance(image, str):
            # NVIDIA's operators take it in three values, and NFD's chart below them in two.
            version = value.get("version", value.get("tag"))
            yield f"{value['repository']}/{image}:{version}" if "repository" in value else image
        elif {"repository", "tag"} <= value.keys():
            yield f"{value['repository']}:{value['tag']}"
        for item in value.values():
            yield from images_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from images_in(item)


NAME = "rdma-locked-images"
_ALL = " + ".join(
    (
        "object.spec.containers.map(c, c.image)",
        "object.spec.?initContainers.orValue([]).map(c, c.image)",
        "object.spec.?ephemeralContainers.orValue([]).map(c, c.image)",
    )
)


@frozen
class LockedImages:
    """The images of a plan, and the namespaces in which nothing else runs."""

    images: tuple[str, ...]
    namespaces: tuple[str, ...]

    @property
    def spec(self) -> dict[str, Any]:
        """Spec of a ValidatingAdmissionPolicy, v1 since Kubernetes 1.30."""
        of_pods = requests("", "pods pods/ephemeralcontainers", "CREATE", "UPDATE")
        strange = "variables.strange"
        return {
            "failurePolicy": "Fail",
            "matchConstraints": {"resourceRules": [of_pods]},
            "variables": [
                {"name": "locked", "expression": _list(self.images)},
                {"name": "strange", "expression": f"({_ALL}).filter(i, !(i in variables.locked))"},
            ],
            "validations": [
                {
                    "expression": f"{strange}.size() == 0",
                    "messageExpression": f"'not among the locked images of this cluster: ' + {strange}.join(', ')",
                }
            ],
        }

    @property
    def binding(self) -> dict[str, Any]:
        """Spec of its binding. The API server labels each namespace with its name."""
        named = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(self.namespaces)}
        return denying(NAME, matchResources={"namespaceSelector": {"matchExpressions": [named]}})


def _list(words: Sequence[str]) -> str:
    """References hold no quote: their grammar has none (images.py)."""
    return "[" + ", ".join(f"'{word}'" for word in words) + "]"
