"""Ways of playing: the protocol, policies by name, and networks read from files."""

from nenette.policies.best_response import BEST_RESPONSE, BestResponsePolicy
from nenette.policies.files import PolicyFileError, read_policy, save_policy
from nenette.policies.load import load_opponent
from nenette.policies.network import NetworkPolicy
from nenette.policies.policy import Masks, Observations, Policy, Probabilities, choose
from nenette.policies.registry import make_policy, policy_names, register
from nenette.policies.table import TablePolicy, read_table, save_table

__all__ = [
    "BEST_RESPONSE",
    "BestResponsePolicy",
    "Masks",
    "NetworkPolicy",
    "Observations",
    "Policy",
    "PolicyFileError",
    "Probabilities",
    "TablePolicy",
    "choose",
    "load_opponent",
    "make_policy",
    "policy_names",
    "read_policy",
    "read_table",
    "register",
    "save_policy",
    "save_table",
]
