"""The values that the APIs set by themselves are known from somewhere, or called a guess."""

import re

import pytest
from tools.google_server.documents import document
from tools.google_server.given import COMPUTE, CONTAINER, GUESS, Given

ROWS = [
    pytest.param(api, name, each, id=f"{name}.{each.path}")
    for api, table in (("compute.beta", COMPUTE), ("container.v1beta1", CONTAINER))
    for name, given in table.items()
    for each in given
]


@pytest.mark.parametrize(("api", "name", "given"), ROWS)
def test_a_value_that_an_api_sets_has_its_place_and_its_source(api: str, name: str, given: Given):
    """The document has the field, and the words that are quoted from it."""
    described = document(api)
    assert described is not None
    schema = described.schemas[name]
    for step in given.path.split("."):
        schema = described.resolve(schema["properties"][step])
    if given.source != GUESS and not given.source.startswith(("https://", "github.com/")):
        place, _, words = given.source.partition(": ")
        where, _, field = place.partition(".")
        said = described.schemas[where]["properties"][field]["description"]
        assert re.sub(r"\s+", " ", words) in re.sub(r"\s+", " ", said)
