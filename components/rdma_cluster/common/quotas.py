"""What a plan says of an account's quotas, which it cannot read."""

from ..catalog.quotas import Quota


def over(quota: Quota, count: int, taken: str) -> list[str]:
    """One warning where ``count`` is more than an account has at first; ``taken`` says who takes how many."""
    if count <= quota.default:
        return []
    return [
        f"{taken}, and an account has {quota.default:,} {quota.what} unless they were raised: ask the cloud for more "
        f"before the first up ({quota.source.ref.partition(' ')[0]})"
    ]
