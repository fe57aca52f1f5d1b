"""Agents from elsewhere as policies: a model of stable-baselines3, a torch module, or a plain function.

Nothing here imports torch or stable-baselines3. Whoever hands over an object of theirs has imported them, so they are
found among the modules that are loaded.
"""

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games import Game
from nenette.games.checks import check_choice
from nenette.games.episode import nearest_legal
from nenette.policies.given import as_policy
from nenette.policies.learned import is_learned, learned_network
from nenette.policies.network import HEADS, NetworkPolicy
from nenette.policies.players import GREEDY, SAMPLED
from nenette.policies.policy import Masks, Observations, Policy, Probabilities, name_of

__all__ = ["OUTPUTS", "AdaptedPolicy", "adapt"]

OUTPUTS = ("actions", "probabilities", "logits", "q-values")
"""What a torch module or a function may give."""

_ROWS = 16_384  # at a time, so that a network asked about all states of a game needs little memory
_REPEATED = 256
_TOLERANCE = 1e-4  # a float32 softmax is off by less

Call = Callable[[Observations, Masks], Any]


def adapt(
    agent: Any,
    game: Game[Any],
    *,
    deterministic: bool = False,
    outputs: str | None = None,
    name: str | None = None,
    repeatable: bool = True,
) -> Policy:
    """The agent as a policy of `game`; see `nenette.score` for what an agent may be, and for the arguments.

    If `repeatable`, the agent is to give the same for the same observations; if not, it may draw its actions.

    Raises:
        ValueError: it is nothing that can be adapted, or it is made for other observations or actions.
    """
    if outputs is not None:
        check_choice("outputs", outputs, OUTPUTS)
    if isinstance(agent, str | os.PathLike) or callable(getattr(agent, "action_probabilities", None)):
        _no_outputs(outputs, "an object with action_probabilities or a name")
        return _own(as_policy(agent, game), game, deterministic, name)
    called = name or _name(agent)
    if isinstance(agent, type):
        raise ValueError(f"the class {agent.__name__} was given as an agent, and an object of it is expected")
    if is_learned(agent):
        _no_outputs(outputs, "a model of stable-baselines3")
        network, call, kind = learned_network(agent, game, called)
        return AdaptedPolicy(_quietly(network, call), game, kind, deterministic, called, repeatable)
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(agent, torch.nn.Module):
        kind = outputs or "logits"
        return AdaptedPolicy(_of_module(agent, called), game, kind, deterministic, called, repeatable)
    if hasattr(agent, "predict"):
        raise ValueError(
            f"{called} is no model of stable-baselines3 that can be scored as it is; give a function that calls it, "
            "such as lambda observations: agent.predict(observations)[0]"
        )
    if not callable(agent):
        raise ValueError(
            f"an agent is a model of stable-baselines3 or sb3-contrib, a torch module, a function from observations to "
            f"actions or probabilities, an object with action_probabilities, or a name, not an object of {called}"
        )
    given = _arguments(agent, called)
    return AdaptedPolicy(lambda x, m: agent(*given(x, m)), game, outputs, deterministic, called, repeatable)


class AdaptedPolicy:
    """An agent from elsewhere, with its outputs made into probabilities of legal actions.

    Attributes:
        name: what tables call it.
        plays: "greedy" or "sampled"; None where the outputs do not decide it.
    """

    def __init__(
        self, call: Call, game: Game[Any], outputs: str | None, deterministic: bool, name: str, repeatable: bool = True
    ) -> None:
        """Of what `call` gives for observations and masks; `outputs` None: actions or probabilities, as they come."""
        self.name = name
        self.plays = GREEDY if deterministic or outputs in ("q-values", "actions") else None
        if self.plays is None and outputs == "logits":
            self.plays = SAMPLED
        self._call = call
        self._game = game
        self._outputs = outputs
        self._deterministic = deterministic
        self._unchecked = repeatable

    def action_probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        """Probabilities of each action, float64 (n, n_actions); see `nenette.policies.Policy`.

        Raises:
            ValueError: what the agent gives has another shape, is not finite, or is not the same when asked again.
        """
        parts = [slice(start, start + _ROWS) for start in range(0, max(len(masks), 1), _ROWS)]
        found = np.concatenate([self._probabilities(observations[part], masks[part]) for part in parts])
        if self._unchecked:
            self._unchecked = False
            again = self._probabilities(observations[:_REPEATED], masks[:_REPEATED])
            if np.abs(again - found[:_REPEATED]).max(initial=0) > _TOLERANCE:
                raise ValueError(
                    f"agent {self.name!r} gave something else when it was asked about the same observations again: an "
                    "agent that draws its actions is to give their probabilities, or to be scored with exact=False"
                )
        return found

    def other_player(self) -> "AdaptedPolicy | None":
        """The same network played the other way, sampled for greedy; None where there are no logits."""
        if self._outputs != "logits":
            return None
        return AdaptedPolicy(self._call, self._game, "logits", not self._deterministic, self.name, self._unchecked)

    def _probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        given = _array(self._call(observations, masks), self.name)
        kind = self._outputs or ("actions" if given.ndim == 1 else "probabilities")
        if kind == "actions":
            return self._of_actions(given, masks)
        values = self._columns(given, masks, kind)
        if kind == "probabilities":
            found = _legal(values, masks, self.name)
            return HEADS["argmax"](found, masks != 0) if self._deterministic else found
        return HEADS["argmax" if self.plays == GREEDY else "softmax"](values, masks != 0)

    def _of_actions(self, given: NDArray[Any], masks: Masks) -> Probabilities:
        actions = self._game.n_actions
        if given.shape != (len(masks),) or given.dtype.kind not in "iu":
            raise ValueError(
                f"agent {self.name!r} gave {given.dtype} of shape {given.shape} for {len(masks)} observations, and "
                f"integer actions of shape (n,) or probabilities of shape (n, {actions}) are expected"
            )
        if len(given) and (given.min() < 0 or given.max() >= actions):
            wrong = int(given.min() if given.min() < 0 else given.max())
            raise ValueError(f"agent {self.name!r} gave action {wrong}, and {self._game.name} has 0 to {actions - 1}")
        found = np.zeros(masks.shape)
        found[np.arange(len(masks)), given.astype(np.int64)] = 1
        return _legal(found, masks, self.name)

    def _columns(self, given: NDArray[Any], masks: Masks, kind: str) -> NDArray[np.float64]:
        """The actions' columns; a network's last one for *pass* is left out, for nobody who is asked passes."""
        n, actions = masks.shape
        widths = (actions,) if kind == "probabilities" else (actions, actions + 1)
        if given.ndim != 2 or len(given) != n or given.shape[1] not in widths:
            alternative = f"integer actions of shape (n,) or {kind}" if self._outputs is None else kind
            raise ValueError(
                f"agent {self.name!r} gave an array of shape {given.shape} for {n} observations of {self._game.name}, "
                f"and {alternative} of shape (n, {actions}) are expected"
            )
        values = given[:, :actions].astype(np.float64)
        if kind == "logits":  # -inf is a way to say never, as long as something legal is left
            bad = np.isnan(values) | (values == np.inf)
            bad |= ~np.isfinite(np.where(masks != 0, values, -np.inf).max(axis=1, keepdims=True))
        else:
            bad = ~np.isfinite(values)
        if bad.any():
            raise ValueError(f"agent {self.name!r} gave {kind} that are not finite")
        return values


def _legal(given: NDArray[np.float64], masks: Masks, name: str) -> Probabilities:
    """The legal actions' probabilities in proportion; where nothing legal has any, the environments' rule decides."""
    sums = given.sum(axis=1)
    bad = (given < 0).any(axis=1) | (np.abs(sums - 1) > _TOLERANCE)
    if bad.any():
        row = given[int(bad.argmax())]
        raise ValueError(
            f"agent {name!r} gave the probabilities {[round(float(p), 4) for p in row]}, and numbers >= 0 that sum "
            'to 1 are expected (outputs="logits" or outputs="q-values" says that they are something else)'
        )
    found: Probabilities = np.where(masks != 0, given, 0.0)
    for row in np.flatnonzero(found.sum(axis=1) <= 0).tolist():
        legal = tuple(np.flatnonzero(masks[row]).tolist())
        for action in np.flatnonzero(given[row]).tolist():
            found[row, nearest_legal(action, legal)] += given[row, action]
    found /= found.sum(axis=1, keepdims=True)
    return found


def _own(policy: Policy, game: Game[Any], deterministic: bool, name: str | None) -> Policy:
    if not deterministic:
        return (
            policy if name is None else AdaptedPolicy(policy.action_probabilities, game, "probabilities", False, name)
        )
    if isinstance(policy, NetworkPolicy) and name is None:
        return policy.with_head("argmax")
    return AdaptedPolicy(policy.action_probabilities, game, "probabilities", True, name or policy.name)


def _of_module(module: Any, name: str) -> Call:
    torch: Any = sys.modules["torch"]
    given = _arguments(module.forward, name)
    weights = next((p for p in module.parameters() if p.is_floating_point()), None)

    def call(observations: Observations, masks: Masks) -> Any:
        arrays = given(observations, masks)
        device, dtype = (None, None) if weights is None else (weights.device, weights.dtype)
        inputs = [torch.as_tensor(arrays[0].copy(), device=device, dtype=dtype)]
        inputs += [torch.as_tensor(mask != 0, device=device) for mask in arrays[1:]]
        try:
            return module(*inputs)
        except RuntimeError as error:
            first = (str(error).splitlines() or [""])[0]
            raise ValueError(
                f"the torch module {name} cannot be asked about observations of shape {observations.shape}: "
                f"{first[:200]}"
            ) from error

    return _quietly(module, call)


def _quietly(module: Any, call: Call) -> Call:
    """Asks without gradients, and with dropout and the like switched off."""
    torch: Any = sys.modules["torch"]

    def asked(observations: Observations, masks: Masks) -> Any:
        with torch.no_grad(), _evaluating(module):
            return call(observations, masks)

    return asked


@contextmanager
def _evaluating(module: Any) -> Iterator[None]:
    training = [part for part in module.modules() if part.training]
    module.eval()
    try:
        yield
    finally:
        for part in training:
            part.training = True


def _arguments(call: Callable[..., Any], name: str) -> Callable[[Observations, Masks], tuple[Any, ...]]:
    """What to call it with: observations, and masks if its signature has a second place that asks for them."""
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):  # some compiled functions have none
        return lambda observations, masks: (observations,)
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in places if p.default is p.empty]
    free = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    keywords = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if len(needed) > 2 or keywords or not (places or free):
        wanted = ", ".join([*(p.name for p in needed), *keywords]) or "nothing"
        raise ValueError(f"agent {name!r} takes ({wanted}), and (observations) or (observations, masks) is expected")
    if len(needed) == 2 or (len(places) > 1 and "mask" in places[1].name):
        return lambda observations, masks: (observations, masks)
    return lambda observations, masks: (observations,)


def _array(given: Any, name: str) -> NDArray[Any]:
    if isinstance(given, tuple):
        raise ValueError(f"agent {name!r} gave a tuple of {len(given)}, and one array is expected: return that alone")
    try:
        array = np.asarray(given.detach().cpu().numpy() if hasattr(given, "detach") else given)
    except (TypeError, ValueError) as error:
        raise ValueError(f"agent {name!r} gave {type(given).__name__}, which is no array: {error}") from error
    if array.dtype.kind not in "iufb":
        raise ValueError(f"agent {name!r} gave {type(given).__name__}, and an array of numbers is expected")
    return array


def _no_outputs(outputs: str | None, what: str) -> None:
    if outputs is not None:
        raise ValueError(f"outputs={outputs!r} is for torch modules and functions, and {what} was given")


def _name(agent: Any) -> str:
    own = getattr(agent, "__name__", None)
    return own if isinstance(own, str) and own.isidentifier() else name_of(agent)
