"""Names, places and subnets of Google Cloud, left of the wall."""
