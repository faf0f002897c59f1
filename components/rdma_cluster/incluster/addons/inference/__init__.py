"""A model that is served from several nodes."""
