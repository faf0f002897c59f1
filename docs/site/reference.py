"""The public names of each package, from their docstrings; mkdocstrings reads the sources and imports nothing."""

import ast
from pathlib import Path

from .made import Made

PACKAGES = ("gke", "gce", "eks", "aks", "oke", "incluster", "catalog", "claims", "offline", "testing")


def pages(root: Path) -> Made:
    """A page a package."""
    texts = {f"reference/{package}.md": _page(root, package) for package in PACKAGES}
    entries: list[dict[str, object]] = [{f"rdma_cluster.{each}": f"reference/{each}.md"} for each in PACKAGES]
    return Made(texts, [{"Python": entries}])


def _page(root: Path, package: str) -> str:
    tree = ast.parse(_source(root, package).read_text(encoding="utf-8"))
    about = (ast.get_docstring(tree) or "").replace("``", "`")
    names = _listed(tree) or _exported(tree) or _defined(tree)
    return "\n".join(
        [f"# rdma_cluster.{package}", "", about, "", *(f"::: rdma_cluster.{package}.{each}\n" for each in names)]
    )


def _source(root: Path, package: str) -> Path:
    path = root / "components" / "rdma_cluster" / package
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _listed(tree: ast.Module) -> list[str]:
    """What stands in ``__all__``."""
    for each in tree.body:
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "__all__":
            return list(ast.literal_eval(each.value))
    return []


def _exported(tree: ast.Module) -> list[str]:
    """What is imported as a public name: ``from .cluster import GkeCluster as GkeCluster``."""
    imports = (each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom))
    return [name.name for each in imports for name in each.names if name.asname == name.name]


def _defined(tree: ast.Module) -> list[str]:
    made = (each.name for each in tree.body if isinstance(each, (ast.ClassDef, ast.FunctionDef)))
    return [name for name in made if not name.startswith("_")]
