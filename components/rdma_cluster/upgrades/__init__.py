"""Upgrades of a living stack, as edits of its file in an order that keeps its nodes: what each cloud does stands in its
own plan/upgrades.py. Pure."""
