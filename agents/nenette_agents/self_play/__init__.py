"""Past selves of the learner, and who sits where."""
