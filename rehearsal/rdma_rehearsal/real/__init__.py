"""The rehearsal with providers' own plugins. ``record.py`` says what stands behind each."""
