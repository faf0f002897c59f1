"""Text of others, fit to be shown: what would move a cursor, colour a line or turn its direction is spelled out."""


def visible(text: str) -> str:
    """The text, each character that a terminal does not print as itself written as Python escapes it.

    These are control characters (C0, C1, so that no escape sequence is left), line and paragraph separators, marks of
    direction and of zero width, lone surrogates, and code points without a meaning.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
