"""Graphs of the OKE stacks that break a policy each; those of all clouds are broken in `tests.policies.common`, too."""

BREAKS: dict = {}
