"""Many games at once: native Gymnasium vector environments, one compiled call a step.

`gymnasium.make_vec("nenette/421-v0", num_envs=1024)` finds them. `env` says what a user may rely on; a *machine* (one a
game) plays all slots with tables that were made by asking the rules; `seating` turns opponents into tables.
"""
