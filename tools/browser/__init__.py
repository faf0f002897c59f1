"""A browser that looks at pages: the one on PATH, or one from a package index."""
