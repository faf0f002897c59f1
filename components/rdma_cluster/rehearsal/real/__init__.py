"""The rehearsal with providers' own plugins. ``google.py`` and ``kubernetes.py`` say what stands behind each."""
