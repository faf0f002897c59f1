"""What clusters and node pools of Kubernetes Engine have in common."""

from collections.abc import Callable

from ....constraints import Broken
from .call import CREATED, Call, written
from .world import ApiError, Body, Operation

ENGINE = "https://container.googleapis.com/v1beta1/"
_PATCHES = 1000
"""Of a version that a request names by its minor alone: ``1.35`` becomes ``1.35.1-gke.1000``. A guess."""


def operation_body(call: Call, operation: Operation) -> Body:
    """As the API shows it: without what is empty."""
    place = "/".join(call.path.split("/")[:4])
    return {
        "name": operation.name,
        "operationType": operation.kind,
        "status": "DONE" if operation.done else "RUNNING",
        "startTime": CREATED,
        "selfLink": f"{ENGINE}{place}/operations/{operation.name}",
        "targetLink": f"{ENGINE}{operation.target}",
        "location": place.rpartition("/")[2],
        **({"endTime": CREATED} if operation.done else {}),
        **({"statusMessage": operation.failed} if operation.done and operation.failed else {}),
    }


def there(call: Call, path: str) -> Body:
    if path not in call.world.things:
        raise ApiError(404, "notFound", f"Not found: {path}.")
    return call.world.things[path]


def shown(call: Call, schema: str, body: Body) -> Body:
    return written(call.document, {"$ref": schema}, body, zeros=False)


def refer(call: Call, link: str | None, collection: str) -> None:
    """Raises ``ApiError`` where a network, a subnetwork or a policy is not there."""
    if link:
        name = link.rpartition("/")[2]
        path = link if link.startswith("projects/") else f"projects/{call.project}/{collection}/{name}"
        if path not in call.world.things:
            raise ApiError(404, "notFound", f"Not found: resource '{path}'.")


def region_of(path: str) -> str:
    place = path.split("/")[3]
    return place.rpartition("-")[0] if place.count("-") == 2 else place


def version_of(asked: str) -> str:
    asked = asked or "1.35"
    return (
        asked
        if "-gke." in asked
        else f"{asked}.1-gke.{_PATCHES}"
        if asked.count(".") == 1
        else f"{asked}-gke.{_PATCHES}"
    )


def refuse(broken: list[Broken]) -> None:
    if broken:
        raise ApiError(400, "badRequest", "; ".join(f"{each.path}: {each.words}" for each in broken))


def runs(call: Call, path: str, status: str = "RUNNING") -> Callable[[], None]:
    """What the end of an operation does to the cluster or pool at a path."""

    def finish() -> None:
        if (body := call.world.things.get(path)) is not None:
            body["status"] = status

    return finish
