"""A training as a person writes it down: one YAML file, checked."""
