"""Benchmarks: run `make bench`."""
