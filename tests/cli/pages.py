"""The page of every stack, and a browser that looks at pages."""

import json
import re
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Mapping
from contextlib import chdir
from functools import cache
from hashlib import sha256
from html import escape, unescape
from pathlib import Path

from rdma_cluster.cli import stack_file
from rdma_cluster.cli.page import write_page
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.common.summary import Summary

from tests.stacks import ROOT, cloud_of, graph_of

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
LOOK = (Path(__file__).parent / "look.js").read_text()
FRAMES = """<!doctype html><title></title><script>
const all = {};
function saw(name, what) { all[name] = what; document.title = JSON.stringify(all); }
</script>"""
_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--virtual-time-budget=2000")


@cache
def summary_of(stack: str) -> Summary:
    """The plan of a stack in words and numbers, as the command tells it."""
    with chdir(ROOT):
        _, settings = read_stack(stack, None, ())
    return stack_file.summary_of(settings)


@cache
def page_of(stack: str) -> str:
    """The page's text, around the graph that the tests share."""
    with chdir(ROOT):
        _, settings = read_stack(stack, None, ())
    project = settings.config.get("gcp:project", "")
    return write_page(stack, summary_of(stack), graph_of(stack), "", cloud=cloud_of(stack), project=project)


def on_paper(page: str) -> str:
    """A page as it is printed, on a screen: the rules of paper for all, and none that is for screens alone."""
    return page.replace("@media print", "@media all").replace("@media screen", "@media not all and (width < 0px) and")


def looked_at(pages: Mapping[str, tuple[str, int]], folder: Path, *flags: str) -> dict[str, dict]:
    """What a browser sees of pages by name, each in a frame of its width, and what it complains of."""
    frames = [
        f'<iframe width="{width}" height="900" srcdoc="{escape(_with_look(page, name))}"></iframe>'
        for name, (page, width) in pages.items()
    ]
    path = folder / "pages.html"
    path.write_text(FRAMES + "\n".join(frames))
    words = [*_FLAGS, f"--user-data-dir={folder}", *flags, "--dump-dom", str(path)]
    done = subprocess.run([str(BROWSER), *words], capture_output=True, text=True, timeout=300)
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert not complaints, "\n".join(complaints)
    # The first is the whole's; those of the pages stand in attributes.
    return json.loads(unescape(re.findall("<title>(.*?)</title>", done.stdout)[0]))


def printed(page: str, folder: Path) -> bytes:
    """A page as a PDF."""
    (folder / "page.html").write_text(page)
    pdf = folder / "page.pdf"
    words = [*_FLAGS, f"--user-data-dir={folder}", "--no-pdf-header-footer", f"--print-to-pdf={pdf}"]
    subprocess.run([str(BROWSER), *words, str(folder / "page.html")], capture_output=True, timeout=300, check=True)
    return pdf.read_bytes()


def _with_look(page: str, name: str) -> str:
    """A page with the script that looks at it, which the page's own policy must be told of."""
    script = LOOK.replace("NAME", json.dumps(name))
    digest = b64encode(sha256(script.encode()).digest()).decode()
    page = page.replace("script-src ", f"script-src 'sha256-{digest}' ")
    return page.replace("</body>", f"<script>{script}</script></body>")
