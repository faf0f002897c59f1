"""The wheel has a bill of materials of its own, where PEP 770 wants it."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from tests.stacks import ROOT
from tests.supply.wheel_bill import FILE, bill


def test_the_bill_is_valid_and_of_this_version():
    """`python -m tests.supply.wheel_bill` renews it."""
    text = FILE.read_text()

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert text == bill()


@pytest.mark.thorough
def test_the_wheel_holds_the_bill_and_every_file_of_the_package(tmp_path: Path):
    pytest.importorskip("hatchling", reason="no hatchling, which builds the wheel: pip install -r requirements-dev.txt")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")

    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (place,) = (each for each in names if each.endswith(".cdx.json"))
        held = archive.read(place).decode()

    assert held == FILE.read_text()
    assert place.partition("/")[2] == f"sboms/{FILE.name}" and place.partition("/")[0].endswith(".dist-info")
    package = ROOT / "components"
    files = {str(each.relative_to(package)) for each in package.glob("*/**/*") if each.is_file()}
    assert {each for each in files if "__pycache__" not in each and ".egg-info" not in each} <= names
