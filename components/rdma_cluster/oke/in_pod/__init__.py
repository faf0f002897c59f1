"""What runs in pods on OKE, with the standard library alone."""

from importlib.resources import files


def script(name: str) -> str:
    """The text of a file here."""
    return (files(__name__) / name).read_text()
