"""Words of a person in a container's command: Kubernetes puts variables in the place of ``$(NAME)`` there."""

import re

_ACTS = re.compile(r"\$(?=[$(])")


def verbatim(word: str) -> str:
    """A word that a program gets as it was written: ``$(HF_TOKEN)`` names a variable to a shell of its own at most.

    ``$$`` stands for ``$``, and a ``$`` alone for itself (kubernetes@v1.36.0 third_party/forked/golang/expansion).
    """
    return _ACTS.sub("$$", word)
