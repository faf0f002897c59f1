"""A plan as one page that a person can send to a colleague: drawings, tables, no script, nothing from elsewhere."""

from .whole import write_page

__all__ = ["write_page"]
