"""What the course shows with the Google provider alone."""

from collections.abc import Iterator

from ...scenario import REFRESH, Outcome
from ..record import Living
from .world import World


def parts(world: World, living: Living) -> Iterator[Outcome]:
    """On a living stack."""
    pools = [path for path, body in world.things.items() if body.get("config", {}).get("accelerators")]
    if pools:
        yield from _without_room(world, pools[0], living)


def _without_room(world: World, pool: str, living: Living) -> Iterator[Outcome]:
    """A GPU pool vanishes, its zone has no machine for another, and then has."""
    name = pool.rpartition("/")[2]
    with world.lock:
        for gone in [path for path, body in world.things.items() if path == pool or body.get("of") == pool]:
            del world.things[gone]
        world.room = False
    living.run_engine(*REFRESH)
    ran = living.run_engine("up", "--yes", "--skip-preview")
    # The provider reads the pool, which is there, and keeps the operation's reason to itself.
    told = next((each for each in ran.errors if "was created in the error state" in each), "")
    wrong = () if told else ("nobody says that the pool has no nodes", *ran.errors)
    yield Outcome(f"pool {name} vanishes, and there is no room for another", wrong, told, ran.seconds)
    with world.lock:
        world.room = True
        if (body := world.things.get(pool)) is not None:
            body["status"] = "RUNNING"
    yield living.converges(f"pool {name} finds room")
