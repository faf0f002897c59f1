"""Where each request of our programs goes, by cloud; the models behind them are large, so they are read when asked."""

from functools import cache
from importlib import import_module

from tests.clouds import clouds
from tools.api.request import Table


@cache
def tables_of(cloud: str) -> list[Table]:
    """The requests of a cloud's resources."""
    return import_module(f"tests.{cloud}.api_tables").TABLES


@cache
def tables() -> dict[str, Table]:
    """Those of all clouds, by the type of the resource."""
    return {table.token: table for cloud in clouds() for table in tables_of(cloud.name)}
