"""What the clouds refuse, by resource type: each rule in the API's own words, with its source.

    broken("gcp:compute/network:Network", {"mtu": 9000})
    replaced_by("gcp:compute/network:Network", {"name": "a"}, {"name": "b"})

Inputs are the engine's: camelCase, secrets unwrapped. A value that is not known yet (the engine's own mark for it, or
what an offline preview shows in its place) breaks no rule. Nothing here needs Pulumi.
"""

from collections.abc import Iterable

from .changes import refused_changes, replaced_by
from .record import Broken, Inputs, Rule
from .services import rules_of
from .there import Made, There

__all__ = ["Broken", "Inputs", "Made", "Rule", "There", "broken", "refused_changes", "replaced_by", "rules_of"]


def broken(token: str, inputs: Inputs, others: There | Iterable[Made] = ()) -> list[Broken]:
    """Every rule that the creation of a resource breaks, in the order of the rules; of an unknown type none.

    ``others`` is what its cloud holds already: names that are taken, networks that it joins.
    """
    there = others if isinstance(others, There) else There(others)
    return [Broken(path, rule.words, rule.source) for rule in rules_of(token) for path in rule.check(inputs, there)]
