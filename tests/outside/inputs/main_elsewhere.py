"""A project whose `Pulumi.yaml` stands at the repository's root, and its program in a folder below."""

from pathlib import Path

from pulumi_offline import preview

infra = Path("infra")
infra.mkdir()
Path("Pulumi.yaml").write_text("name: corp\nruntime: python\nmain: infra/\nconfig:\n  nodes: 4\n")
(infra / "sizes.py").write_text("FACTOR = 2\n")
(infra / "__main__.py").write_text(
    "from pathlib import Path\n"
    "import pulumi, sizes\n"
    "pulumi.export('nodes', pulumi.Config().require_int('nodes') * sizes.FACTOR)\n"
    "pulumi.export('folder', Path.cwd().name)\n"
    "pulumi.export('root', Path(pulumi.runtime.get_root_directory()) == Path.cwd().parent)\n"
)
print(preview(".").outputs)
