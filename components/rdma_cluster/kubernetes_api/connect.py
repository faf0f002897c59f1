"""A client for the kubeconfig that a user names by an option, whose faults are told under that option."""

import subprocess
from collections.abc import Generator
from contextlib import closing, contextmanager
from http.client import HTTPException
from pathlib import Path

from pulumi_offline.errors import InputError, Refused
from .client import Answered, Client
from .kubeconfig import connection

_UNREADABLE = (KeyError, OSError, TypeError, ValueError, subprocess.SubprocessError)
"""What comes of a file that is no kubeconfig, and of an exec plugin that fails."""
_UNREACHABLE = (OSError, HTTPException)


def connect(kubeconfig: Path, option: str) -> Client:
    """A client of the cluster of the file's current context. Raises ``Refused``; no other file is ever asked."""
    try:
        return Client(connection(kubeconfig))
    except Refused as refused:
        raise Refused([InputError((option,), str(each)) for each in refused.errors]) from None
    except _UNREADABLE as error:
        words = f"{kubeconfig} is no kubeconfig that can be read: {str(error) or type(error).__name__}"
        raise Refused([InputError((option,), words)]) from None


@contextmanager
def connected(kubeconfig: Path, option: str) -> Generator[Client]:
    """The same, closed in the end. What the server refuses, or does not answer, is ``Refused`` in its words."""
    with closing(connect(kubeconfig, option)) as client:
        try:
            yield client
        except (Answered, *_UNREACHABLE) as error:
            said = "" if isinstance(error, Answered) else " does not answer"
            words = f"{client.server}{said}: {str(error) or type(error).__name__}"
            raise Refused([InputError((option,), words)]) from None
