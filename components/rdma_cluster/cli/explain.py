"""``rdma-cluster explain KEY``: what a key of a stack file means, its default, its choices, an example."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from pulumi_offline.errors import Refused, refusal, show
from ..base.config import CLOUD
from ..base.other_names import meanings
from ..base.reference import Choice, Key
from ..common import CLOUDS
from ..common.stack import keys_of
from .options import Verb, cloud_option, option
from .output import paragraph, styled
from .stack_file import clouds_of_project

_CLOUD = Key(
    "cloud", CLOUD, "choice", True, "The stack program to run.", choices=tuple(Choice(each, "") for each in CLOUDS)
)
"""The one key that no stack program has: it chooses the program."""


class Explain(Verb):
    """Explain a key, by its path or by its name alone, on one cloud or on all, those of this project first.

    Raises ``Refused`` where no cloud has it.
    """

    key: str = option("KEY", "e.g. pools.capacity.reservation, or maxNodes")
    cloud: str | None = cloud_option("only what the key means on this cloud")

    def run(self) -> int:
        name = re.sub(r"\[\d*\]", "", self.key).removeprefix("rdma-cluster:")
        known = {
            cloud: [_CLOUD, *(each for top in keys_of(cloud) for each in top.walk())] for cloud in _clouds(self.cloud)
        }
        # A path is more exact than a name, which keys of other clouds can have, too.
        matches = {
            cloud: [key for key in keys if name == key.path or (name == key.written and "." not in key.path)]
            for cloud, keys in known.items()
        }
        if not any(matches.values()):
            matches = {cloud: [key for key in keys if key.written == name] for cloud, keys in known.items()}
        if not any(matches.values()):
            names = {spelling for keys in known.values() for each in keys for spelling in (each.path, each.written)}
            if elsewhere := meanings(name):
                raise refusal(f"no key {show(self.key)}; {'; or '.join(elsewhere)}")
            near = get_close_matches(name, names)
            top = dict.fromkeys(each.path for keys in known.values() for each in keys if "." not in each.path)
            remedy = f"did you mean {' or '.join(near)}?" if near else f"the keys at the top are {', '.join(top)}"
            raise refusal(f"no key {show(self.key)}; {remedy}")
        pages: dict[str, list[str]] = {}
        for cloud, keys in matches.items():
            for each in keys:
                pages.setdefault(_page(each), []).append(cloud)
        print("\n\n".join(f"{page}\n\n  on {', '.join(clouds)}" for page, clouds in pages.items()))
        return 0


def _clouds(chosen: str | None) -> Sequence[str]:
    """The clouds to look at, those of the project's stacks first."""
    if chosen is not None:
        return [chosen]
    try:
        used = clouds_of_project()
    except Refused:  # there is no project here, or its files cannot be read
        used = set()
    return sorted(CLOUDS, key=lambda cloud: cloud not in used)


def _page(key: Key) -> str:
    """All about one key."""
    head = f"{styled(key.path, 'bold')}: {key.kind}, {'required' if key.required else 'optional'}"
    lines = [head, "", *_indented(key.meaning)]
    if key.default:
        lines += ["", *_indented(f"Default: {key.default}.")]
    if key.choices:
        choices = (f"{choice.value}: {choice.meaning}".rstrip(": ") for choice in key.choices)
        lines += ["", *(line for choice in choices for line in _indented(choice))]
    if key.keys:
        lines += ["", *(line for below in key.keys for line in _indented(f"{below.written}: {below.meaning}"))]
    if key.example is not None:
        lines += ["", f"  {key.written}: {flow(key.example)}"]
    return "\n".join(lines)


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in paragraph(text.replace("``", "")).splitlines()]


def flow(value: object) -> str:
    """A value as YAML on one line."""
    import yaml

    return yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=False).removesuffix("\n...\n").strip()
