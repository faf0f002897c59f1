"""What an index shows of a release: where the project is, and README with links that work there.

``repository`` in pyproject.toml is the project's address. A release that is built elsewhere says so in
``RDMA_CLUSTER_REPOSITORY``. A wheel that is built from a source archive takes all of it from the archive.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"""(!\[[^\]]*\]\(|\]\(|\b(?:src|srcset|href)=")(?![a-z]+:|[#/])([^)"\s]+)""")


class MetadataHook(MetadataHookInterface):
    """Makes the fields ``readme`` and ``urls``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called before an archive is written."""
        stands = self.config["repository"]
        repository = os.environ.get("RDMA_CLUSTER_REPOSITORY") or stands
        tag = f"v{metadata['version']}"
        text = Path(self.root, "README.md").read_text(encoding="utf-8").replace(stands, repository)
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text, repository, tag)}
        metadata["urls"] = {
            "Source": repository,
            "Documentation": f"{repository}/tree/{tag}/docs",
            "Changelog": f"{repository}/blob/{tag}/CHANGELOG.md",
            "Issues": f"{repository}/issues",
        }


def absolute(text: str, repository: str, tag: str) -> str:
    """Markdown whose links into the repository work elsewhere: files as pages, pictures as they are."""

    def led(link: re.Match[str]) -> str:
        shown = "raw" if link[1].startswith(("!", "src")) else "blob"
        return f"{link[1]}{repository}/{shown}/{tag}/{link[2]}"

    return _LINK.sub(led, text)
