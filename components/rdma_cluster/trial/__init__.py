"""The cheapest run that proves a cloud on metal: what it takes, what it leaves, and what that tells the catalogue."""
