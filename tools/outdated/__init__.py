"""Every pin beside the newest that its registry, or the catalogue's list, tells: `make outdated`."""
