"""Text that somebody else wrote, as a terminal, a page or a message of a pod may show it."""

import json


def visible(text: str) -> str:
    """One line, in which whatever a terminal would act on or not show is written as JSON writes it: ``\\u001b``.

    That is all that Unicode does not print: controls, escape sequences, marks that turn the direction of writing, lone
    surrogates, spaces that look like none. A text in JSON stays the JSON that it was.
    """
    return text if text.isprintable() else "".join(map(_character, text))


def _character(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]
