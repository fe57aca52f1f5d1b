"""Ways of playing: the protocol, policies by name, and networks read from files."""

from nenette.policies.policy import Masks, Observations, Policy, Probabilities, choose
from nenette.policies.registry import make_policy, policy_names, register

__all__ = [
    "Masks",
    "Observations",
    "Policy",
    "Probabilities",
    "choose",
    "make_policy",
    "policy_names",
    "register",
]
