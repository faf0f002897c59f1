"""`docker` for a machine that is played: `run` with the host's own programs, and everything else noted.

A container has the folders that it mounts, as far as they are there; the paths in its scripts are rewritten, and its
very command runs.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_PATH = r"(?<![\w./}}-])({})(?=[/\s\"');:,]|$)"


def docker(words: Sequence[str]) -> int:
    """What `docker` does with these words."""
    root = Path(os.environ["ROOT"])
    with (root / "docker.calls").open("a") as calls:
        calls.write(json.dumps(list(words)) + "\n")
    if words[0] == "image":
        return 1
    if words[0] != "run":
        return 0
    mounts, env, rest = _parsed(list(words[1:]))
    tmp = root / "containers" / env.get("NODE_NAME", "none") / str(os.getpid())
    tmp.mkdir(parents=True)
    folders = {**mounts, "/tmp": str(tmp), "/sbin/ldconfig": "true"}
    for place in ("/acceptance", "/judge"):
        if place in mounts:
            folders[place] = _rewritten(Path(mounts[place]), tmp / place[1:], folders)
    _image, *command = rest
    if command[0] == "install":  # what the image runs by itself
        return 0
    inherited = {key: os.environ[key] for key in ("PATH", "ROOT")}
    inside = {**inherited, "LC_ALL": "C.UTF-8", **{key: _here(of, folders) for key, of in env.items()}}
    done = subprocess.run([_here(word, folders) for word in command], env=inside, cwd=tmp)
    return done.returncode


def _parsed(words: list[str]) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Mounts by their place in the container, its environment, and the image with the command."""
    mounts, env = {}, {}
    while words[0].startswith("--"):
        option, equals, value = words.pop(0).partition("=")
        if not equals and option not in ("--rm", "--interactive", "--read-only", "--privileged"):
            value = words.pop(0)
        if option == "--volume":
            host, place, *_ = value.split(":")
            if os.path.exists(host):
                mounts[place] = host
        elif option == "--env":
            key, _, env[key] = value.partition("=")
    return mounts, env, words


def _rewritten(source: Path, to: Path, folders: dict[str, str]) -> str:
    """A copy of a folder whose scripts name the host's folders."""
    for file in (each for each in source.rglob("*") if each.is_file()):
        target = to / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text()
        target.write_text(_here(text, {**folders, "/acceptance": str(to)}) if file.suffix == ".sh" else text)
    return str(to)


def _here(text: str, folders: dict[str, str]) -> str:
    pattern = _PATH.format("|".join(map(re.escape, sorted(folders, key=len, reverse=True))))
    return re.sub(pattern, lambda found: folders[found[1]], text)


if __name__ == "__main__":
    sys.exit(docker(sys.argv[1:]))
