"""How strong agents get: the demo, the strength table, pictures."""
