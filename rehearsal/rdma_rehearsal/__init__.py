"""Simulated clouds, which refuse what the real ones refuse."""
