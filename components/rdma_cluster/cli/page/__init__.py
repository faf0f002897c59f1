"""A plan as one page to send to a colleague: drawings, tables, no script, nothing loaded from elsewhere."""

from .page import write_page

__all__ = ["write_page"]
