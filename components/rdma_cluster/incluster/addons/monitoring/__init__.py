"""Exporters of GPUs and NICs, alerts and a dashboard."""
