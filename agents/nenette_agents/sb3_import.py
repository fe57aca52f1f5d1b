"""From stable-baselines3's own zip to a policy folder, for whoever knows where the zip comes from.

Such a zip holds pickles: reading it runs whatever program somebody has put there. So nothing in this module is called
unless its user has said, in so many words, that the file is to be trusted.
"""

import hashlib
import pickle
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.save_util import load_from_zip_file
from stable_baselines3.common.vec_env import VecNormalize
from stable_baselines3.dqn.policies import DQNPolicy

from nenette.games import Game
from nenette.policies import NetworkPolicy
from nenette.untrusted import NotReadableError, read_bytes
from nenette_agents.algorithms.dqn.algorithm import MaskedDQN
from nenette_agents.algorithms.saving import SafelySaved, class_saved
from nenette_agents.algorithms.turn_ppo import TurnMaskedPPO
from nenette_agents.errors import RunError, short, shown
from nenette_agents.export import MLP_POLICIES, check_network, export_network, fold
from nenette_agents.runs.folders import versions

__all__ = ["fold", "read_own", "read_trusted", "read_trusted_statistics", "were_plain"]

_MOST_BYTES = 1 << 26


def were_plain(data: dict[str, Any], game: Game[Any]) -> bool | None:
    """Whether a learner of stable-baselines3 was trained on the game's observations as they are.

    The zip says nothing of wrappers around its environments. But it keeps the last observations that the learner saw,
    and those of a game are recognised exactly.

    Args:
        data: of the zip.
        game: what it was trained to play.

    Returns:
        None where it is not known: no observation was kept.
    """
    last = data.get("_last_obs")
    if not data.get("num_timesteps"):
        return True  # nothing has been learned, from whatever
    if not isinstance(last, np.ndarray) or last.size == 0:
        return None
    try:
        game.codec.decode(last.reshape(len(last), -1))
    except (ValueError, TypeError):
        return False
    return True


def read_trusted_statistics(file: Path, game: Game[Any]) -> VecNormalize:
    """What `VecNormalize.save` wrote: a pickle, in which any program may be hidden, and is run here.

    Raises:
        RunError: it is no `VecNormalize`, or not one of this game's observations.
    """
    try:
        content = read_bytes(file, _MOST_BYTES)
    except (NotReadableError, OSError, ValueError) as error:
        raise RunError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    # Unpickling may raise anything, for the file decides what is run.
    try:
        statistics = pickle.loads(content)
    except Exception as error:
        raise RunError(f"{file} cannot be read as what VecNormalize saved: {short(str(error))}") from error
    if not isinstance(statistics, VecNormalize):
        raise RunError(f"{file} holds {shown(type(statistics).__name__)}, and what VecNormalize saved was expected")
    shape = np.shape(getattr(getattr(statistics, "obs_rms", None), "mean", ()))
    if statistics.norm_obs and shape != (game.codec.size,):
        raise RunError(f"{file} is of observations of shape {shape}, and {game.name} has {game.codec.size} numbers")
    return statistics


_MAX_BYTES = 1 << 30
_OWN: dict[str, type[SafelySaved]] = {kind.__name__: kind for kind in (MaskedDQN, TurnMaskedPPO)}
"""Learners whose files hold no pickles."""


def read_trusted(
    file: Path,
    game: Game[Any],
    *,
    name: str,
    greedy: bool,
    statistics: Path | None = None,
    plain: bool = False,
) -> NetworkPolicy:
    """The policy in a zip of stable-baselines3, in which any program may be hidden, and is run here.

    Args:
        file: the zip.
        game: what the policy was trained to play, observed as this package's environments show it.
        name: what tables are to call it.
        greedy: the likeliest action is always taken; DQN takes the one that it values most whatever is said here.
        statistics: what `VecNormalize.save` wrote, if it was trained on observations scaled by that; a pickle, too.
        plain: it is known to have been trained on observations as they are, even if the zip does not tell.

    Raises:
        RunError: it is no such file, or its policy is of another kind or not for this game or its observations.
    """
    try:
        content = read_bytes(file, _MAX_BYTES)
    except FileNotFoundError as error:
        raise RunError(f"{file}: a zip of stable-baselines3 was expected, and there is no such file") from error
    except (NotReadableError, OSError, ValueError) as error:
        reason = f"it {error}" if isinstance(error, NotReadableError) else getattr(error, "strerror", None) or error
        raise RunError(f"{file} cannot be read as a zip of stable-baselines3: {reason}") from error
    # Unpickling may raise anything, for the file decides what is run.
    try:
        data, parameters, _ = load_from_zip_file(BytesIO(content), device="cpu")
    except Exception as error:
        raise RunError(f"{file} cannot be read as a zip of stable-baselines3: {_sentence_of(error)}") from error
    policy = _policy(file, data or {}, parameters, game)
    check_network(file, policy)
    _check_observations(file, were_plain(data or {}, game), game, statistics, plain=plain)
    head = "argmax" if greedy or isinstance(policy, DQNPolicy) else "softmax"
    try:
        network = export_network(policy, game, name, head)
        if statistics is not None:
            network = _scaled_by(statistics, network, game)
    except RunError:
        raise
    except ValueError as error:
        raise RunError(f"{file} holds a policy that does not fit {game.name}: {error}") from error
    network.card = {
        "imported": {
            "file": file.name,
            "sha256": hashlib.sha256(content).hexdigest(),
            "policy": f"{type(policy).__module__}.{type(policy).__qualname__}",
            **({"vecnormalize": statistics.name} if statistics is not None else {}),
        },
        "versions": versions(),
    }
    return network


def read_own(
    file: Path, game: Game[Any], *, name: str, greedy: bool, statistics: Path | None = None, plain: bool = False
) -> NetworkPolicy | None:
    """The policy in what `MaskedDQN.save` or `TurnMaskedPPO.save` wrote; None if neither did. Nothing in it is run.

    Args:
        file: the zip.
        game: what the policy was trained to play.
        name: what tables are to call it.
        greedy: the likeliest action is always taken, as DQN does anyway.
        statistics: there may be none: these learners' observations are imported as they are.
        plain: it is known that TurnMaskedPPO was trained on observations as they are; MaskedDQN takes no others.

    Raises:
        RunError: the file is damaged, or its policy is not for this game or its observations.
    """
    try:
        kind = _OWN.get(str(class_saved(file)))
        learner = None if kind is None else kind.load(file, device="cpu")
    except ValueError as error:
        raise RunError(str(error)) from error
    except (KeyError, TypeError, AttributeError) as error:  # the file decides what is there
        raise RunError(f"{file} is damaged: {_sentence_of(error)}") from error
    if learner is None:
        return None
    if statistics is not None:
        raise RunError(f"{file} is imported with its observations as they are: leave --vecnormalize out")
    if isinstance(learner, TurnMaskedPPO):
        _check_observations(file, None, game, None, plain=plain)
    passes = getattr(learner.action_space, "n", None) == game.n_actions + 1
    _refuse_other_spaces(file, learner.observation_space, learner.action_space, game, game.n_actions + passes)
    check_network(file, learner.policy)
    head = "argmax" if greedy or isinstance(learner, MaskedDQN) else "softmax"
    network = export_network(learner.policy, game, name, head, passes=passes)
    sha256 = hashlib.sha256(read_bytes(file, _MAX_BYTES)).hexdigest()
    about = {"file": file.name, "sha256": sha256, "policy": type(learner).__name__}
    network.card = {"imported": about, "versions": versions()}
    return network


def _check_observations(
    file: Path, known: bool | None, game: Game[Any], statistics: Path | None, *, plain: bool
) -> None:
    """Raises RunError unless it is known what the network was trained to see."""
    if statistics is not None:
        if plain or known:
            why = "--plain-observations says so" if plain else "the last that it saw are kept in the zip"
            raise RunError(f"{file} was trained on observations as they are, for {why}: leave --vecnormalize out")
    elif known is False:
        raise RunError(
            f"{file} was trained on observations that are none of {game.name}: a wrapper such as VecNormalize has "
            "changed them; if it was that, give what its save() wrote with --vecnormalize FILE"
        )
    elif known is None and not plain:
        raise RunError(
            f"{file} does not say whether VecNormalize scaled the observations that it was trained on: say "
            "--plain-observations if nothing did, or give what its save() wrote with --vecnormalize FILE"
        )


def _scaled_by(file: Path, network: NetworkPolicy, game: Game[Any]) -> NetworkPolicy:
    if network.crossed is not None:
        raise RunError(f"the policy crosses its inputs ({network.crossed}), which cannot be scaled by {file}")
    layers = fold(read_trusted_statistics(file, game), list(network.layers), game)
    return NetworkPolicy(game, layers, activation=network.activation, head=network.head, name=network.name)


def _policy(file: Path, data: dict[str, Any], parameters: dict[str, Any], game: Game[Any]) -> BasePolicy:
    """The torch policy with its weights."""
    kind = data.get("policy_class")
    if kind not in MLP_POLICIES or "policy" not in parameters:
        held = shown(getattr(kind, "__name__", kind))
        raise RunError(f"{file} holds {held}, and the MlpPolicy of PPO, MaskablePPO or DQN was expected")
    seen, acted = data.get("observation_space"), data.get("action_space")
    _refuse_other_spaces(file, seen, acted, game, game.n_actions)
    try:
        policy: BasePolicy = kind(seen, acted, lambda _: 0.0, **data.get("policy_kwargs", {}))
        policy.load_state_dict(parameters["policy"])
    except Exception as error:
        raise RunError(f"{file} holds weights that do not fit its own network: {_sentence_of(error)}") from error
    return policy


def _refuse_other_spaces(file: Path, seen: Any, acted: Any, game: Game[Any], actions: int) -> None:
    """Raises RunError unless they are the game's, with so many actions."""
    size = game.codec.size
    if not isinstance(seen, spaces.Box) or seen.shape != (size,):
        raise RunError(f"{file} was trained on observations {shown(seen)}, and {game.name} has {size} numbers")
    if not isinstance(acted, spaces.Discrete) or acted.n != actions or acted.start != 0:
        raise RunError(f"{file} was trained with actions {shown(acted)}, and {game.name} has {game.n_actions}")


def _sentence_of(error: Exception) -> str:
    return f"{type(error).__name__}: {short((str(error).splitlines() or [''])[0], 200)}"
