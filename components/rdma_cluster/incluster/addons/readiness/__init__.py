"""Nodes take work only while their fabric is proven and no fault of theirs is known."""
