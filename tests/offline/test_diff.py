"""What changes between two graphs. No Pulumi is needed for it."""

from pulumi_offline import Change, Graph, Resource, diff, render
from pulumi_offline.change_lines import change_lines

URN = "urn:pulumi:lab::gpu::test:index:Rail$gcp:compute/network:Network::"


def network(name: str = "n", **more) -> Resource:
    defaults: dict = {"parent": None, "provider": None, "inputs": {}}
    return Resource(URN + name, "gcp:compute/network:Network", name, **{**defaults, **more})


def changes(before: dict, after: dict) -> tuple[Change, ...]:
    """Changes of the one resource of two graphs."""
    one, other = Graph("lab", (network(**before),)), Graph("lab", (network(**after),))
    return diff(one, other).changed.get(f"{URN}n", ())


def test_equal_graphs_have_no_difference():
    graph = Graph("lab", (network(inputs={"a": [1, {"b": 2}]}),), {"x": 1})
    difference = diff(graph, Graph.from_dict(graph.to_dict()))

    assert not difference
    assert render(difference) == ""


def test_options_provider_and_dependencies_are_compared():
    """They count as much as the inputs."""
    before = {"options": {"protect": True}, "provider": "p", "parent": "x", "dependencies": ("a", "b")}
    after = {"options": {"ignoreChanges": ["n"]}, "provider": None, "parent": "x", "dependencies": ("b", "c")}

    assert [(change.path, change.kind) for change in changes(before, after)] == [
        ("dependencies.a", "remove"),
        ("dependencies.c", "add"),
        ("options.ignoreChanges", "add"),
        ("options.protect", "remove"),
        ("provider", "change"),
    ]


def test_a_difference_is_printed_and_is_data():
    """The text has a line for each resource and property, and the JSON says the same."""
    before = Graph("lab", (network("a"), network("n", inputs={"mtu": 1460, "x": 1})), {"o": 1})
    after = Graph("lab", (network("c"), network("n", inputs={"mtu": 8896, "y": [2]})), {})
    difference = diff(before, after)

    assert render(difference).splitlines() == [
        "- gcp:compute/network:Network a",
        "+ gcp:compute/network:Network c",
        "~ gcp:compute/network:Network n",
        "    ~ inputs.mtu: 1460 -> 8896",
        "    - inputs.x: 1",
        "    + inputs.y: [2]",
        "~ outputs",
        "    - o: 1",
    ]
    assert difference.to_dict() == {
        "added": [f"{URN}c"],
        "removed": [f"{URN}a"],
        "changed": {
            f"{URN}n": [
                {"path": "inputs.mtu", "kind": "change", "before": 1460, "after": 8896},
                {"path": "inputs.x", "kind": "remove", "before": 1},
                {"path": "inputs.y", "kind": "add", "after": [2]},
            ]
        },
        "outputs": [{"path": "o", "kind": "remove", "before": 1}],
    }


def test_long_lines_are_shown_around_what_differs():
    """Dots stand where something is left out, and nowhere else."""
    text = "x" * 150
    (early,) = (line for line in render(diff(*stated(f"a{text}", f"b{text}"))).splitlines() if "->" in line)
    (late,) = (line for line in render(diff(*stated(f"{text}a", f"{text}b"))).splitlines() if "->" in line)

    assert '"axx' in early and '..."axx' not in early and '-> "bxx' in early
    assert late.count('..."x') == 2 and 'xa"' in late and 'xb"' in late


def stated(*texts: str) -> list[Graph]:
    """A graph for each text."""
    return [Graph("lab", (network(inputs={"text": text}),)) for text in texts]


def test_a_difference_is_in_the_order_of_urns():
    """So two runs print the same."""
    names = [f"n{i}" for i in range(100, 140)]
    more = [network(name) for name in names]
    other = [network(name, inputs={"mtu": 1460}) for name in reversed(names)]
    empty = Graph("lab", ())

    assert [each.name for each in diff(empty, Graph("lab", tuple(more))).added] == names
    assert [each.name for each in diff(Graph("lab", tuple(more)), empty).removed] == names
    assert [urn.rpartition("::")[2] for urn in diff(Graph("lab", tuple(more)), Graph("lab", tuple(other))).changed] == (
        names
    )


def test_an_addition_to_a_long_line_is_shown():
    """Of two texts that begin alike the line shows where the shorter one ends."""
    (change,) = changes({"inputs": {"script": "a" * 150}}, {"inputs": {"script": "a" * 150 + "new" * 40}})

    (line,) = change_lines(change)
    assert 'aaa" -> ' in line and "aaanewnew" in line
