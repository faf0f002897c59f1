"""A plan as one page to send to a colleague: drawings, tables, pod patches; nothing loaded from elsewhere."""

from .page import write_page

__all__ = ["write_page"]
