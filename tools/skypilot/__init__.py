"""SkyPilot itself on a cluster of ours; it is installed in an environment of its own: `make skypilot`."""
