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
    """False, and no text."""
    graph = Graph("lab", (network(inputs={"a": [1, {"b": 2}]}),), {"x": 1})
    difference = diff(graph, Graph.from_dict(graph.to_dict()))

    assert not difference
    assert render(difference) == ""


def test_added_and_removed_resources():
    """By URN, sorted."""
    difference = diff(Graph("lab", (network("a"), network("b"))), Graph("lab", (network("b"), network("c"))))

    assert [resource.name for resource in difference.added] == ["c"]
    assert [resource.name for resource in difference.removed] == ["a"]
    assert not difference.changed


def test_properties_one_by_one():
    """Every changed leaf has its own path, through objects and lists."""
    before = {"inputs": {"nodeConfig": {"gpus": [{"count": 8}, {"count": 1}], "gone": "x"}, "same": 1}}
    after = {"inputs": {"nodeConfig": {"gpus": [{"count": 4}], "new": None}, "same": 1}}

    assert changes(before, after) == (
        Change("inputs.nodeConfig.gone", "remove", before="x"),
        Change("inputs.nodeConfig.gpus[0].count", "change", 8, 4),
        Change("inputs.nodeConfig.gpus[1]", "remove", before={"count": 1}),
        Change("inputs.nodeConfig.new", "add", after=None),
    )


def test_type_changes_are_changes():
    """Python takes 1, 1.0 and True for equal; an engine does not."""
    assert changes({"inputs": {"a": 1}}, {"inputs": {"a": True}}) == (Change("inputs.a", "change", 1, True),)


def test_options_provider_parent_and_dependencies():
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


def test_keys_that_are_no_names_are_quoted():
    """Labels and annotations have dots and slashes."""
    before = {"inputs": {"labels": {"nvidia.com/gpu": "a"}}}
    after = {"inputs": {"labels": {"nvidia.com/gpu": "b"}}}

    assert changes(before, after)[0].path == 'inputs.labels["nvidia.com/gpu"]'


def test_text_and_json():
    """One line for each resource and property; the same as data."""
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
    """With dots where something stands before it, and none where nothing does."""
    text = "x" * 150
    (early,) = (line for line in render(diff(*stated(f"a{text}", f"b{text}"))).splitlines() if "->" in line)
    (late,) = (line for line in render(diff(*stated(f"{text}a", f"{text}b"))).splitlines() if "->" in line)

    assert '"axx' in early and '..."axx' not in early and '-> "bxx' in early
    assert late.count('..."x') == 2 and 'xa"' in late and 'xb"' in late


def stated(*texts: str) -> list[Graph]:
    """A graph for each text."""
    return [Graph("lab", (network(inputs={"text": text}),)) for text in texts]


def test_everything_is_in_the_order_of_urns():
    """However many there are: two runs print the same."""
    names = [f"n{i}" for i in range(100, 140)]
    more = [network(name) for name in names]
    other = [network(name, inputs={"mtu": 1460}) for name in reversed(names)]
    empty = Graph("lab", ())

    assert [each.name for each in diff(empty, Graph("lab", tuple(more))).added] == names
    assert [each.name for each in diff(Graph("lab", tuple(more)), empty).removed] == names
    assert [urn.rpartition("::")[2] for urn in diff(Graph("lab", tuple(more)), Graph("lab", tuple(other))).changed] == (
        names
    )


def test_what_is_added_to_a_long_line_is_shown():
    """Of two texts that begin alike, where the shorter one ends."""
    (change,) = changes({"inputs": {"script": "a" * 150}}, {"inputs": {"script": "a" * 150 + "new" * 40}})

    (line,) = change_lines(change)
    assert 'aaa" -> ' in line and "aaanewnew" in line
