"""One network, two players: it may draw actions by its probabilities, or always take the likeliest one.

Figures of the two differ, so a figure comes with the player it is of: "sampled" or "greedy".
"""

from typing import Any

from nenette.policies.network import NetworkPolicy
from nenette.policies.policy import Policy

__all__ = ["GREEDY", "SAMPLED", "WORDS", "other_player", "plays"]

SAMPLED, GREEDY = "sampled", "greedy"
WORDS = {SAMPLED: "by its probabilities", GREEDY: "always its likeliest action"}
"""The two players for people."""

_WAYS = {"softmax": SAMPLED, "argmax": GREEDY}


def plays(policy: Policy) -> str | None:
    """How a policy plays, `SAMPLED` or `GREEDY`, as far as it says so; None where it does not."""
    way = _WAYS[policy.head] if isinstance(policy, NetworkPolicy) else getattr(policy, "plays", None)
    return way if way in WORDS else None


def other_player(policy: Policy) -> Policy | None:
    """The same network played the other way; None where there is none.

    The scores of a network that always takes the likeliest action are logits if PPO trained it, and have probabilities.
    What DQN trained has action values, which are no logits.

    A policy that is no network may have a method `other_player` of its own.
    """
    if not isinstance(policy, NetworkPolicy):
        asked = getattr(policy, "other_player", None)
        return asked() if callable(asked) else None
    if policy.head == "argmax" and not _made_by_policy_gradient(policy.card):
        return None
    return policy.with_head("argmax" if policy.head == "softmax" else "softmax")


def _made_by_policy_gradient(card: dict[str, Any]) -> bool:
    imported = card.get("imported")
    kind = str(imported.get("policy", "")) if isinstance(imported, dict) else ""
    return card.get("algorithm") == "ppo" or "ActorCritic" in kind
