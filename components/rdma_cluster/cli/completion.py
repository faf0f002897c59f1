"""``rdma-cluster completion SHELL``: a script that asks this command for the next words.

Own code and no library: shtab's scripts are static, so they know neither stacks nor machines, and it has none for fish;
argcomplete would need as many lines of completers, and its own parsing beside our ``Parser``.
"""

import argparse
import sys
from collections.abc import Iterable

from .options import Verb, option
from .parser import Parser

_SCRIPTS = {
    "bash": """\
# For ~/.bashrc: source <(rdma-cluster completion bash)
_rdma_cluster() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(RDMA_CLUSTER_COMPLETE=1 rdma-cluster "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" \\
    -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _rdma_cluster rdma-cluster
""",
    "zsh": """\
# For ~/.zshrc, after compinit: source <(rdma-cluster completion zsh)
_rdma_cluster() {
  local -a found
  found=(${(f)"$(RDMA_CLUSTER_COMPLETE=1 rdma-cluster "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -a found || _files
}
compdef _rdma_cluster rdma-cluster
""",
    "fish": """\
# For ~/.config/fish/config.fish: rdma-cluster completion fish | source
complete -c rdma-cluster -a '(
  set -l words (commandline -opc) (commandline -ct)
  RDMA_CLUSTER_COMPLETE=1 rdma-cluster $words[2..-1] 2>/dev/null
)'
""",
}


class Completion(Verb):
    """Print the script for one shell."""

    shell: str = option("", choices=tuple(_SCRIPTS))

    def run(self) -> int:
        print(_SCRIPTS[self.shell], end="")
        return 0


def show_next(parser: Parser, words: list[str]) -> int:
    """Print the completions of the last of ``words``, which may be empty, one a line."""
    *before, begun = words or [""]
    for word in sorted(_candidates(parser, before, begun)):
        if word.startswith(begun):
            sys.stdout.write(f"{word}\n")
    return 0


def _candidates(parser: Parser, before: list[str], begun: str) -> Iterable[str]:
    """Verbs, options and values that may follow ``before``."""
    options = parser.fill()._option_string_actions
    places = [action for action in parser._actions if not action.option_strings]
    position = 0
    words = iter(before)
    for word in words:
        if word in options:
            if options[word].nargs != 0 and next(words, None) is None:
                return _values(options[word])
        elif places and isinstance(verbs := places[0].choices, dict):
            return _candidates(verbs[word], list(words), begun) if word in verbs else ()
        else:
            position += 1
    if begun.startswith("-"):
        return options
    return _values(places[position]) if position < len(places) else ()


def _values(action: argparse.Action) -> Iterable[str]:
    """The values of one argument; none where the shell's own guess, a file, is better."""
    if action.choices is not None:
        return list(action.choices)
    if action.metavar == "STACK":
        from .stack_file import stacks_here

        return stacks_here()
    if action.metavar == "MACHINE":
        from ..catalog import machines

        return [machine.name for machine in machines()]
    if action.metavar == "GATE":
        from nccl_verdict.verdict import GATES

        return GATES
    return ()
