"""Why an agent is as good as it is: where it loses, what its critic knows, what it met, what its network could do."""

from nenette_agents.diagnosis.map_pictures import draw_policy_map
from nenette_agents.diagnosis.maps import PolicyMap, policy_map
from nenette_agents.diagnosis.regrets import (
    Mistake,
    PhaseRegret,
    Regrets,
    StateRegret,
    regret_by_phase,
    regrets_of,
    worst_states,
)

__all__ = [
    "Mistake",
    "PhaseRegret",
    "PolicyMap",
    "Regrets",
    "StateRegret",
    "draw_policy_map",
    "policy_map",
    "regret_by_phase",
    "regrets_of",
    "worst_states",
]
