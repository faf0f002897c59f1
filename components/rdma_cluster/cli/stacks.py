"""``rdma-cluster stacks``: which stacks the project has."""

from ..config import CLOUD
from ..faults import Refused
from ..offline.project import read_settings
from .output import as_json, table
from .stack_file import project, stacks


def show_stacks(json: bool) -> int:
    """Print each stack with its cloud; one whose file cannot be read says so."""
    root = project()
    rows = []
    for stack in stacks(root):
        try:
            cloud = read_settings(root, stack).config.get(CLOUD, "none")
        except Refused:
            cloud = "unreadable"
        rows.append({"stack": stack, "cloud": cloud})
    if json:
        print(as_json(rows))
    elif rows:
        print(table(rows))
    return 0
