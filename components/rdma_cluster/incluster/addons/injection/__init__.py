"""Pods that are given their machine's fabric at admission."""
