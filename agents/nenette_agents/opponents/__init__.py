"""The opponents that come with the package: the list of them, building them, and checking what their cards say."""
