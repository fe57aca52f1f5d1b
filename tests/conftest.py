"""Settings of all tests: hypothesis draws the same examples every time, and is never hurried."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None, max_examples=100)
settings.load_profile("repeatable")
