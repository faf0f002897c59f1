"""A page for each key at the top of a stack file: what stands below it, and on which clouds."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from rdma_cluster.base.reference import Key
from rdma_cluster.cli.explain import flow
from rdma_cluster.common import CLOUDS
from rdma_cluster.common.stack import keys_of
from ..generate import head, row
from .made import Made


def pages(_root: Path) -> Made:
    """All keys of all clouds; a key that several have is one page."""
    found: dict[str, dict[str, Key]] = {}
    for cloud in CLOUDS:
        for key in keys_of(cloud):
            found.setdefault(key.written, {})[cloud] = key
    names = sorted(found)
    texts = {_path(name): "\n".join(_page(name, found[name])) for name in names}
    texts["keys/index.md"] = "\n".join(_index(found, names))
    return Made(texts, [{"Keys": ["keys/index.md", *({name: _path(name)} for name in names)]}])


def _path(name: str) -> str:
    return f"keys/{name.replace(':', '-')}.md"


def _index(found: Mapping[str, Mapping[str, Key]], names: list[str]) -> Iterator[str]:
    yield "# Keys of a stack file\n"
    yield "The same by cloud: [configuration](../configuration.md).\n"
    yield from head("key", *CLOUDS)
    for name in names:
        marks = (
            ("required" if found[name][cloud].required else "yes") if cloud in found[name] else "" for cloud in CLOUDS
        )
        yield row(f"[`{name}`]({_path(name).removeprefix('keys/')})", *marks)


def _page(name: str, by_cloud: Mapping[str, Key]) -> Iterator[str]:
    yield f"# {name}\n"
    for words, clouds in _told([(cloud, "\n".join(_top(key))) for cloud, key in by_cloud.items()]):
        yield f"On {', '.join(clouds)}:\n\n{words}\n" if len(clouds) < len(by_cloud) else f"{words}\n"
    yield (
        f"On {', '.join(by_cloud)}; the others do not have it.\n"
        if len(by_cloud) < len(CLOUDS)
        else "On every cloud.\n"
    )
    below: dict[str, list[tuple[str, Key]]] = {}
    for cloud, key in by_cloud.items():
        for top in key.keys:
            for each in top.walk():
                below.setdefault(each.path.partition(".")[2], []).append((cloud, each))
    for path, keys in below.items():
        yield f"## {path}\n"
        for words, clouds in _told([(cloud, "\n".join(_top(key))) for cloud, key in keys]):
            yield f"{words}\n" if len(clouds) == len(by_cloud) else f"On {', '.join(clouds)}: {words}\n"


def _told(said: list[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """What is said of a key, once for all clouds that say the same."""
    clouds: dict[str, list[str]] = {}
    for cloud, words in said:
        clouds.setdefault(words, []).append(cloud)
    return list(clouds.items())


def _top(key: Key) -> Iterator[str]:
    meaning = key.meaning.replace("``", "`")
    yield f"*{key.kind}, {'required' if key.required else 'optional'}*. {meaning}"
    if key.default:
        yield f"\nDefault: {key.default.replace('``', '`')}."
    if key.choices:
        yield ""
        yield from (
            f"- `{each.value}`{': ' if each.meaning else ''}{each.meaning.replace('``', '`')}" for each in key.choices
        )
    if key.example is not None:
        yield f"\n```yaml\n{key.written}: {flow(key.example)}\n```"
