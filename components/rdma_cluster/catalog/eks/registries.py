"""Where EKS keeps the images of its charts: one registry a region, in an account that differs between regions."""

from ..machine import Source

SOURCE = Source("docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html", "2026-11-21")

_SHARED = """
ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-southeast-1 ap-southeast-2 ca-central-1 eu-central-1
eu-north-1 eu-west-1 eu-west-2 eu-west-3 sa-east-1 us-east-1 us-east-2 us-west-1 us-west-2
"""
_OTHERS = """
af-south-1:877085696533 ap-east-1:800184023465 ap-east-2:533267051163 ap-south-2:900889452093
ap-southeast-3:296578399912 ap-southeast-4:491585149902 ap-southeast-5:151610086707 ap-southeast-6:333609536671
ap-southeast-7:121268973566 ca-west-1:761377655185 cn-north-1:918309763551 cn-northwest-1:961992271922
eu-central-2:900612956339 eu-south-1:590381155156 eu-south-2:455263428931 il-central-1:066635153087
me-central-1:759879836304 me-south-1:558608220178 mx-central-1:730335286997 us-gov-east-1:151742754352
us-gov-west-1:013241004608
"""
_ACCOUNTS: dict[str, str] = {
    **dict.fromkeys(_SHARED.split(), "602401143452"),
    **{region: account for region, _, account in (each.partition(":") for each in _OTHERS.split())},
}
"""The account of each region."""


def registry(region: str) -> str | None:
    """The registry that nodes of a region pull EKS's images from; ``None`` where the page was not read for it."""
    if region not in _ACCOUNTS:
        return None
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"{_ACCOUNTS[region]}.dkr.ecr.{region}.{suffix}"


def registries() -> tuple[str, ...]:
    """The registries of all regions that are known here."""
    return tuple(found for region in _ACCOUNTS if (found := registry(region)) is not None)
