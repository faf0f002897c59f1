"""What a cloud would answer to the functions that our own components call; a run's `invokes` go before these."""

from collections.abc import Mapping
from typing import Any

from . import oracle

KNOWN: Mapping[str, Any] = {
    **oracle.KNOWN,
}
