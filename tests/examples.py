"""How many examples hypothesis makes: some for `make test`, which is quick, and more for `make thorough`."""

from hypothesis import settings

THOROUGH = "thorough"
"""The profile under which there are more."""


def examples(quick: int, thorough: int) -> int:
    """The number under the profile that pytest was started with: `--hypothesis-profile thorough`."""
    return thorough if settings.get_current_profile_name() == THOROUGH else quick
