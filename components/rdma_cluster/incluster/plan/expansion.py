"""Words of a person in a container's command: Kubernetes puts variables in the place of ``$(NAME)`` there."""

import re

_ACTS = re.compile(r"\$(?=[$(])")


def verbatim(word: str) -> str:
    """A word that a program gets as it was written: ``$(HF_TOKEN)`` names a variable to a shell of its own at most.

    ``$$`` stands for ``$``, and a ``$`` alone for itself:
    https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/, 2026-11-23.
    """
    return _ACTS.sub("$$", word)
