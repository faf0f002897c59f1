"""What all tests share."""

import gc

# Half of the time with the SDKs loaded goes to the collector looking at what lives as long as the process.
gc.set_threshold(200_000, 50, 100)
