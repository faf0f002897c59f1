"""Where a fact was read, when, and how sure it is."""

from enum import Enum

from .frozen import frozen


class Known(str, Enum):
    """How a figure is known. The last two are open points; the two before them are settled without a figure."""

    MEASURED = "measured"
    """Somebody read it off such a machine, or ran it there: a ResourceSlice, a topology file, a log."""
    PUBLISHED = "published"
    """The provider or the vendor says it: documents, tables, code, what its API told a generator."""
    NOT_PUBLISHED = "not published"
    """Nobody has published it: the source tells where it was looked for."""
    NOT_APPLICABLE = "not applicable"
    """The machine has nothing that the field could describe."""
    INFERRED = "inferred"
    """Named in ``unverified``: inferred, disputed, or from one weak source."""
    UNKNOWN = "not known"
    """Named in ``unknown``."""


@frozen
class Source:
    """Where a row's figures were read, and when."""

    ref: str
    """A URL, or a repository and path; for what is not published or not applicable, where it was looked for or why."""
    seen: str
    """The date of the version read, ISO 8601."""
    known: Known = Known.PUBLISHED
    """How a figure is known that rests on this source."""
