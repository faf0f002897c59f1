"""What generated configurations of all clouds are made of."""

from typing import Any

from hypothesis import strategies as st

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2**70),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(0, 3), max_size=2),
)


def now_and_then(odd: st.SearchStrategy[Any], sound: st.SearchStrategy[Any], times: int) -> st.SearchStrategy[Any]:
    """Something odd once in so many times: with more of it the door would refuse all, and no rule be reached."""
    return st.integers(1, times).flatmap(lambda draw: odd if draw == times else sound)


def keys(required: dict[str, st.SearchStrategy[Any]], optional: dict[str, st.SearchStrategy[Any]]):
    """A set of keys, now and then with one missing, one of a wrong type, or one that nobody knows."""
    some = {key: now_and_then(ODD, value, 60) for key, value in {**required, **optional}.items()}
    sound = st.fixed_dictionaries({key: some[key] for key in required}, optional={key: some[key] for key in optional})
    return now_and_then(st.fixed_dictionaries({}, optional={**some, "surprise": ODD}), sound, 20)


def over(below: st.SearchStrategy[dict[str, Any]], above: st.SearchStrategy[dict[str, Any]]):
    """The keys of both, those of ``above`` where both have one."""
    return st.builds(lambda one, other: {**one, **other}, below, above)


SWITCH = st.booleans()
NAME = now_and_then(st.text(max_size=45), st.sampled_from(["a4", "b", "r", "team-a", "x-1"]), 30)
CIDR = now_and_then(
    st.builds(lambda a, b: f"{a}/{b}", st.ip_addresses(), st.integers(0, 130)),
    st.sampled_from(["10.0.0.0/13", "10.0.0.0/8", "100.64.0.0/12", "172.16.0.0/16", "240.0.0.0/8", "fd00::/8"]),
    5,
)
IMAGE = now_and_then(st.sampled_from(["", "a b", "a@sha256:b"]), st.sampled_from(["a/b:1", "quay.io/a/b"]), 6)
PREFIX = st.sampled_from(["registry.k8s.io", "nvcr.io/nvidia", "https://a", ""])
ARTIFACTS = keys({}, {"mirrorsOnly": SWITCH, "digestsOnly": SWITCH})
REGISTRIES = st.dictionaries(
    now_and_then(PREFIX, st.just("quay.io"), 4),
    now_and_then(st.sampled_from(["", "https://a/b", "a/B"]), st.just("mirror.example/q"), 6),
    max_size=2,
)
FLOOR = now_and_then(
    st.sampled_from(["x", "all_reduce:1G=0", "all_reduce:512M=9", "all_reduce:1T=9", "all_gather:2G=5"]),
    st.sampled_from(["all_reduce:1G=300", "all_reduce:8G=320.5"]),
    4,
)


def acceptance(machine: str, often: st.SearchStrategy[bool], gates: st.SearchStrategy[list[str]], more: dict[str, Any]):
    """How the fabric of pools of a machine is proved; ``more`` is what one cloud has besides."""
    thresholds = st.dictionaries(
        now_and_then(NAME, st.just(machine), 8), st.lists(FLOOR, min_size=1, max_size=2), max_size=1
    )
    images = keys({}, dict.fromkeys(("test", "python", "operator", "ncclTests", "mpirun"), IMAGE))
    return keys(
        {},
        {
            "enabled": often,
            "rerun": NAME,
            "waive": gates,
            "thresholds": thresholds,
            "taintSuspects": SWITCH,
            "images": images,
            **more,
        },
    )


INFERENCE = keys(
    {"model": st.sampled_from(["meta-llama/Llama-3.1-405B-Instruct", "meta-llama/Llama-3.1-70B-Instruct", "a/b", "c"])},
    {
        "nodes": st.integers(-1, 5),
        "pool": NAME,
        "weights": keys(
            {},
            {
                "gb": st.integers(-1, 3000),
                "claim": NAME,
                "claimGb": st.integers(-1, 3000),
                "path": NAME,
                "storage": SWITCH,
                "revision": NAME,
                "tokenSecret": NAME,
                "annotations": st.dictionaries(NAME, NAME, max_size=1),
                "serviceAccount": NAME,
            },
        ),
        "maxModelLen": st.integers(-1, 200_000),
        "split": st.sampled_from(["pipeline", "tensor"]),
        "namespace": now_and_then(st.sampled_from(["", "lws-system", "A"]), NAME, 4),
        "apiKeySecret": NAME,
        "image": IMAGE,
        "startMinutes": now_and_then(st.integers(), st.integers(1, 90), 4),
        "controller": now_and_then(st.just("managed"), st.sampled_from(["installed", "existing"]), 8),
        "vllmArgs": st.lists(st.sampled_from(["--seed", "7", "--max-num-seqs=64", "--nnodes=3", "--no-such"])),
    },
)
MONITORING = keys(
    {"enabled": SWITCH},
    {
        "gpuExporter": now_and_then(st.sampled_from(["existing", "managed"]), st.just("installed"), 4),
        "definitions": now_and_then(st.just("managed"), st.sampled_from(["installed", "existing"]), 8),
        "labels": st.dictionaries(NAME, NAME, max_size=2),
    },
)
EXISTING_STORAGE = keys({}, {"claim": NAME, "storageClass": NAME, "volume": NAME})
INJECTION = keys(
    {"enabled": SWITCH},
    {
        "engine": st.sampled_from(["native", "kyverno"]),
        "beta": SWITCH,
        "annotation": NAME,
        "nemo": SWITCH,
        "namespaces": st.lists(NAME, max_size=3),
    },
)
_KINDS = st.lists(st.sampled_from(["job", "jobset", "mpijob", "pod"]), max_size=2)
_SENT_TO = keys({"name": NAME}, {"stack": NAME, "dispatch": NAME})
QUEUES = keys(
    {"enabled": SWITCH},
    {
        "topology": st.dictionaries(NAME, st.lists(NAME, max_size=3), max_size=2),
        "priorities": st.dictionaries(NAME, st.integers(), max_size=2),
        "preemption": SWITCH,
        "readyMinutes": st.integers(),
        "worker": keys({"queues": st.dictionaries(NAME, NAME, max_size=2)}, {"kinds": _KINDS}),
        "dispatch": keys(
            {
                "manager": NAME,
                "clusters": st.lists(_SENT_TO, max_size=2),
                "queues": st.dictionaries(NAME, st.lists(NAME, max_size=2), max_size=2),
            },
            {"kinds": _KINDS, "lostMinutes": st.integers()},
        ),
    },
)
