"""What machines of the moon cost: nobody has published it."""

from rdma_cluster.catalog.prices import PriceList

LISTS: tuple[PriceList, ...] = ()
UNLISTED: dict[str, str] = {}
