"""The in-cluster half left of the wall: what is installed where, with which settings. Imports no Pulumi."""
