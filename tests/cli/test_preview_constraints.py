"""`preview` ends with the constraints that a program breaks, or with that there are none."""

from pathlib import Path

from tests.cli.commands import command

WRONG = """
import pulumi_gcp as gcp
gcp.compute.Network("jumbo", name="jumbo", auto_create_subnetworks=False, mtu=9000)
"""


def test_a_broken_rule_is_told(tmp_path: Path):
    """A resource of the user's own beside ours: its name, the place, the API's words and their source."""
    command("init", "gke", folder=tmp_path)
    with (tmp_path / "__main__.py").open("a") as program:
        program.write(WRONG)

    code, out, err = command("preview", "gke", folder=tmp_path)

    assert (code, "no constraint of the cloud is broken" in out) == (2, False)
    assert err == (
        "gcp:compute/network:Network jumbo: mtu: The minimum value for this field is 1300 and the maximum value is "
        "8896 (compute.v1 Network.mtu, 2026-11-06)\n"
    )


def test_no_rule_is_broken():
    """And that is the last line."""
    code, out, err = command("preview", "gke")

    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "no constraint of the cloud is broken"
