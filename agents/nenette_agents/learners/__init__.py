"""Learning algorithms behind one small interface: ours, and anybody's."""
