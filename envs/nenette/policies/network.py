"""A trained network as a policy, in NumPy: it plays without the library that trained it."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games.checks import check_choice
from nenette.games.game import Game
from nenette.policies.inputs import Crossing, crossing
from nenette.policies.policy import Masks, Observations, Probabilities

__all__ = ["ACTIVATIONS", "HEADS", "Layer", "NetworkPolicy"]

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Weight (outputs, inputs) and bias (outputs,), both float32, as torch's `Linear` keeps them."""

Scores = NDArray[np.floating]
FirstLayer = Callable[[Scores], Scores]

_CHUNK = 16_384  # rows at a time, so that a batch of all states of a game needs no more memory than its input


def _tanh(x: Scores) -> Scores:
    return np.tanh(x, out=x)


def _relu(x: Scores) -> Scores:
    return np.maximum(x, 0, out=x)


def _softmax(scores: Scores, legal: NDArray[np.bool_]) -> Probabilities:
    """Probabilities proportional to exp(score) among the legal actions; the largest is subtracted first."""
    possible = np.where(legal, scores.astype(np.float64), -np.inf)
    probabilities: Probabilities = np.exp(possible - possible.max(axis=1, keepdims=True))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    return probabilities


def _argmax(scores: Scores, legal: NDArray[np.bool_]) -> Probabilities:
    """1 at the legal action with the highest score, of equals at the lowest."""
    probabilities = np.zeros(scores.shape)
    probabilities[np.arange(len(scores)), np.where(legal, scores, -np.inf).argmax(axis=1)] = 1
    return probabilities


ACTIVATIONS: dict[str, Callable[[Scores], Scores]] = {"tanh": _tanh, "relu": _relu}
"""What may stand between two layers; each works in place."""
HEADS: dict[str, Callable[[Scores, NDArray[np.bool_]], Probabilities]] = {"softmax": _softmax, "argmax": _argmax}
"""What may make probabilities of the last layer's scores: "softmax" of logits, "argmax" of action values."""


class NetworkPolicy:
    """A multi-layer perceptron that scores actions from an observation.

    Attributes:
        name: what tables call it.
        game: the game it plays.
        layers: weights and biases, the first layer first.
        activation: one of `ACTIVATIONS`, applied between layers and not after the last.
        head: one of `HEADS`.
        crossed: the field that the input crosses with all others, see `nenette.policies.inputs`; None: the plain input.
        card: JSON values about the policy from whoever made it; empty unless it was read from a file.
        fixed: true: it never changes.
    """

    fixed = True

    def __init__(
        self,
        game: Game[Any],
        layers: Sequence[Layer],
        *,
        activation: str = "tanh",
        head: str = "softmax",
        crossed: str | None = None,
        name: str = "network",
        dtype: type[np.floating] = np.float32,
    ) -> None:
        """A policy for `game` from layers whose shapes lead from its inputs to `game.n_actions` scores.

        Inputs are the `game.codec.size` features, or as many as `Crossing.size` says. Scores are computed in `dtype`.

        Raises:
            ValueError: a shape, a dtype, a number that is not finite, or an unknown activation, head or field.
        """
        check_choice("an activation", activation, tuple(ACTIVATIONS))
        check_choice("a head", head, tuple(HEADS))
        self._crossing = crossing(game, crossed)
        check_layers(game, layers, game.codec.size if self._crossing is None else self._crossing.size)
        self.name = name
        self.game = game
        self.layers = tuple(layers)
        self.activation = activation
        self.head = head
        self.crossed = crossed
        self.card: dict[str, Any] = {}
        self._dtype = dtype
        (weight, bias), *others = [(weight.astype(dtype), bias.astype(dtype)) for weight, bias in layers]
        self._first = _first_layer(self._crossing, weight, bias)
        self._steps = [(np.ascontiguousarray(weight.T), bias) for weight, bias in others]

    def precise(self) -> "NetworkPolicy":
        """The same network in double precision, for figures that are to be the same on every machine.

        Processors add up in different orders. In single precision that shows in the seventh digit of the probabilities,
        and may tip a choice between actions that the network holds for equally good.
        """
        return self._changed(dtype=np.float64)

    def with_head(self, head: str) -> "NetworkPolicy":
        """The same network, which makes probabilities of its scores in another way, one of `HEADS`."""
        return self._changed(head=head)

    def _changed(self, **changes: Any) -> "NetworkPolicy":
        same = {"activation": self.activation, "head": self.head, "crossed": self.crossed, "dtype": self._dtype}
        policy = NetworkPolicy(self.game, self.layers, name=self.name, **{**same, **changes})
        policy.card = self.card
        return policy

    @cached_property
    def looks_at(self) -> tuple[str, ...] | None:
        """Names of the fields of an observation that can change a score; None: all of them, or the input is crossed.

        A field whose features all have weight 0 in the first layer changes nothing.
        """
        if self._crossing is not None:
            return None
        features, weighed = self.game.codec.features, self.layers[0][0].any(axis=0)
        after = np.cumsum([feature.table.shape[1] for feature in features])
        parts = np.split(weighed, after[:-1])
        seen = tuple(feature.name for feature, part in zip(features, parts, strict=True) if part.any())
        return seen if len(seen) < len(features) else None

    @property
    def sizes(self) -> list[int]:
        """Inputs, then the outputs of each layer."""
        return [self.layers[0][0].shape[1], *(len(bias) for _, bias in self.layers)]

    def scores(self, observations: Observations) -> Scores:
        """The last layer's outputs, (n, n_actions), for observations (n, codec.size); float32, or as `dtype` said."""
        activate = ACTIVATIONS[self.activation]
        x = self._first(observations.astype(self._dtype, copy=False))
        for weight, bias in self._steps:
            x = activate(x) @ weight
            x += bias
        return x

    def action_probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        """Probabilities of each action; see `Policy`.

        Raises:
            ValueError: the observations are not this game's, or the weights are so large that scores overflow.
        """
        size, actions = self.game.codec.size, self.game.n_actions
        if observations.ndim != 2 or observations.shape[1] != size or masks.shape != (len(observations), actions):
            raise ValueError(
                f"policy {self.name!r} takes observations of shape (n, {size}) and masks of shape (n, {actions}), "
                f"not {observations.shape} and {masks.shape}"
            )
        if len(observations) <= _CHUNK:
            return self._probabilities(observations, masks)
        probabilities = np.empty(masks.shape)
        for start in range(0, len(probabilities), _CHUNK):
            rows = slice(start, start + _CHUNK)
            probabilities[rows] = self._probabilities(observations[rows], masks[rows])
        return probabilities

    def _probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self.scores(observations)
        if not np.isfinite(scores).all():
            raise ValueError(f"policy {self.name!r} gives scores that are not finite: its weights are too large")
        return HEADS[self.head](scores, masks != 0)

    def __repr__(self) -> str:
        return f"NetworkPolicy({self.name!r}, {self.game}, {self.sizes}, {self.activation}, {self.head})"


def _first_layer(crossed: Crossing | None, weight: NDArray[np.floating], bias: NDArray[np.floating]) -> FirstLayer:
    """From observations (n, codec.size) to the first layer's outputs."""
    if crossed is None:
        turned = np.ascontiguousarray(weight.T)
        return lambda x: x @ turned + bias
    layers = crossed.split(weight, bias)
    start, stop, rest = crossed.start, crossed.stop, crossed.rest

    def first(x: Scores) -> Scores:
        values, others = x[:, start:stop].argmax(axis=1), x[:, rest]
        out = np.empty((len(x), len(bias)), dtype=bias.dtype)
        for value in np.unique(values).tolist():
            rows = np.flatnonzero(values == value)
            turned, shift = layers[value]
            out[rows] = others[rows] @ turned + shift
        return out

    return first


def check_layers(game: Game[Any], layers: Sequence[Layer], inputs: int) -> None:
    """Raises a one-sentence ValueError unless the layers lead from so many inputs to the game's actions."""
    if not layers:
        raise ValueError("a network has at least one layer, not 0")
    for k, (weight, bias) in enumerate(layers):
        outputs = len(bias) if bias.ndim == 1 else -1
        if weight.shape != (outputs, inputs):
            raise ValueError(
                f"layer {k} has a weight of shape {weight.shape} and a bias of shape {bias.shape}, "
                f"and (outputs, {inputs}) and (outputs,) are expected"
            )
        if weight.dtype != np.float32 or bias.dtype != np.float32:
            raise ValueError(f"layer {k} is {weight.dtype} and {bias.dtype}, and float32 is expected")
        if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
            raise ValueError(f"layer {k} has a weight that is not finite")
        inputs = outputs
    if inputs != game.n_actions:
        raise ValueError(f"the last layer has {inputs} outputs, and {game.name} has {game.n_actions} actions")
